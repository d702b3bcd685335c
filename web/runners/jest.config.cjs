// The settings of a console plugin, in Node and in jsdom. VERSION is "29", or "" for the newest jest;
// MODULES is "commonjs" or "esm".

const { VERSION = "", MODULES = "commonjs" } = process.env;

const settings = {
  commonjs: {
    moduleFileExtensions: ["js", "jsx", "ts", "tsx"],
    transform: { "^.+\\.[t|j]sx?$": "ts-jest" },
    transformIgnorePatterns: [
      "<rootDir>/node_modules/(?!(@patternfly|@openshift-console\\S*?)/.*)",
    ],
  },
  esm: { transform: {} },
};

module.exports = {
  projects: ["node", "jsdom"].map((environment) => ({
    displayName: environment,
    testEnvironment: require.resolve(`jest-environment-${environment}${VERSION}`),
    testMatch: [`<rootDir>/*.${MODULES}.test.*`],
    ...settings[MODULES],
  })),
};
