import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: ["node", "jsdom"].map((environment) => ({
      test: { name: environment, environment, include: ["*.vitest.ts"] },
    })),
  },
});
