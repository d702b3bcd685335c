// The library in React: a provider that loads it, and hooks that validate VMs.

import type { Limit, ObjectInput, Report, ValidateOptions } from "@vmrules/vmrules";
import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  Suspense,
  useContext,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from "react";
import type { RulesSource } from "./ask.js";
import type { Validation } from "./input.js";
import { Loader, type LoaderSettings } from "./loader.js";
import { maxCall } from "./plain.js";
import { jsonOf } from "./text.js";

export type { Answers, Ask, Question, RulesSource } from "./ask.js";
export type { LoaderSettings } from "./loader.js";
export {
  type Input,
  inputAt,
  type ResolverSettings,
  type Validation,
  type Validator,
  vmrulesResolver,
} from "./resolver.js";

/** VmrulesProviderProps are who answers, which does not change later, and what there is meanwhile. */
export interface VmrulesProviderProps extends LoaderSettings {
  children?: ReactNode;
  /**
   * fallback is shown while the library is loaded. Then useRules suspends, and throws what is wrong
   * if it cannot be loaded. Without a fallback, it says so in its status.
   */
  fallback?: ReactNode;
}

interface Provided {
  loader: Loader;
  suspends: boolean;
}

const Context = createContext<Provided | undefined>(undefined);

/** VmrulesProvider loads the library, once, for all below it. */
export function VmrulesProvider(props: VmrulesProviderProps): ReactElement {
  const { children, fallback, ...settings } = props;
  const [loader] = useState(() => new Loader(settings));
  const suspends = fallback !== undefined;
  useEffect(() => loader.use(), [loader]);
  const value = useMemo(() => ({ loader, suspends }), [loader, suspends]);
  const inside = suspends ? createElement(Suspense, { fallback }, children) : children;
  return createElement(Context.Provider, { value }, inside);
}

/**
 * RulesState is how far the library is, and functions that wait for it. They stay the same while the
 * rules do. If the library is in the page and ready, they return no promises.
 */
export type RulesState = (
  | { status: "loading" }
  | { status: "ready" }
  | { status: "failed"; error: Error }
) & {
  validate: (vm: ObjectInput, options?: ValidateOptions) => Report | Promise<Report>;
  limits: (vm: ObjectInput, options?: ValidateOptions) => Limit[] | Promise<Limit[]>;
  /** @internal */
  isHere: boolean;
};

/** useRules returns what validates VMs by rules, below a VmrulesProvider. */
export function useRules(source: RulesSource): RulesState {
  const provided = useContext(Context);
  if (provided === undefined) {
    throw new Error("useRules needs a VmrulesProvider around it");
  }
  const { loader, suspends } = provided;
  const state = useSyncExternalStore(loader.subscribe, loader.state, loader.state);
  const { annotation, vm, template } = source;
  const key = keyOf([annotation, vm, template]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is the source, however often it is made anew
  const functions = useMemo(() => asking(loader, source), [loader, key]);
  const rules = useMemo(() => {
    const { ask: _, ...known } = { ask: undefined, isHere: false, ...state };
    return { ...known, ...functions };
  }, [state, functions]);
  if (suspends && state.status === "loading") {
    throw loader.load();
  }
  if (suspends && state.status === "failed") {
    throw state.error;
  }
  return rules;
}

/** keyOf returns what only questions with the same answer share: their JSON, or why they have none. */
function keyOf(asked: unknown): string {
  try {
    return jsonOf("what is asked", asked, maxCall); // no call takes more
  } catch (error) {
    return String(error);
  }
}

function asking(loader: Loader, source: RulesSource): Pick<RulesState, "validate" | "limits"> {
  const { annotation, vm, template } = source;
  const rules = annotation === undefined ? withoutNull({ vm, template }) : { annotation };
  return {
    validate: (vm, options = {}) => loader.ask({ operation: "validate", rules, vm, options }),
    limits: (vm, options = {}) => loader.ask({ operation: "limits", rules, vm, options }),
  };
}

function withoutNull<T extends object>(members: T): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value != null)) as T;
}

/** ValidationNow is a Validation, or why there is none. */
export interface ValidationNow extends Validation {
  error?: Error;
}

const nothing: ValidationNow = { limits: [] };

/**
 * useValidation returns what the rules ask of a VM as it is now, and the report about it under `partial`.
 * From a worker or a backend, that is what they said last; there is no report until they have said anything.
 */
export function useValidation(
  rules: RulesState,
  vm: ObjectInput,
  options: ValidateOptions = {},
): ValidationNow {
  const { validate, limits, status, isHere } = rules;
  const key = keyOf([vm, options]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is the VM and the options
  const ask = useMemo(() => {
    const settings = { ...options, partial: true };
    return () => [limits(vm, settings), validate(vm, settings)] as const;
  }, [validate, limits, key]);
  const now = useMemo(() => (isHere ? validatedAtOnce(ask) : undefined), [isHere, ask]);
  const [later, setLater] = useState(nothing);
  useEffect(() => {
    if (now !== undefined || status !== "ready") {
      return;
    }
    let isGone = false;
    const set = (said: ValidationNow) => isGone || setLater(said);
    validatedLater(ask).then(set, (error) => set({ limits: [], error }));
    return () => {
      isGone = true;
    };
  }, [now, status, ask]);
  return now ?? later;
}

type AskBoth = () => readonly [Limit[] | Promise<Limit[]>, Report | Promise<Report>];

/** validatedAtOnce returns undefined if the answer takes a while, after all. */
function validatedAtOnce(ask: AskBoth): ValidationNow | undefined {
  try {
    const [limits, report] = ask();
    if (!(limits instanceof Promise) && !(report instanceof Promise)) {
      return { limits, report };
    }
    Promise.allSettled([limits, report]);
    return undefined;
  } catch (error) {
    return { limits: [], error: error as Error };
  }
}

async function validatedLater(ask: AskBoth): Promise<ValidationNow> {
  const [limits, report] = await Promise.all(ask());
  return { limits, report };
}
