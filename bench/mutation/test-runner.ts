import { globSync } from "node:fs";
import { registerHooks } from "node:module";
import path from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import type { Mutant, StrykerOptions } from "@stryker-mutator/api/core";
import { commonTokens, declareFactoryPlugin, PluginKind, tokens } from "@stryker-mutator/api/plugin";
import {
  type CompleteDryRunResult,
  type DryRunOptions,
  DryRunStatus,
  determineHitLimitReached,
  type MutantRunOptions,
  type MutantRunResult,
  MutantRunStatus,
  type TestResult,
  type TestRunner,
  TestStatus,
  toMutantRunResult,
} from "@stryker-mutator/api/test-runner";
import fc from "fast-check";
import { Watch } from "./instrumented.ts";
import { type Change, isSampled } from "./sample.ts";
import { collectTests, endTests, type TestCase } from "./test-api.ts";
import { leftOut, rooms } from "./tests.ts";

/** Plugs into Stryker: every test file is loaded once, and its tests are run in this process for one mutant after another. */
export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, "in-process", makeRunner)];

makeRunner.inject = tokens(commonTokens.options);
function makeRunner(options: StrykerOptions): TestRunner {
  const every = Number(options.every ?? 1);
  const watch = new Watch();
  const { code } = watch;
  const order = new KillersFirst();
  let loaded: ReturnType<typeof loadRooms> | undefined;
  const testsFor = async (changed: readonly string[]): Promise<readonly TestCase[]> => {
    loaded ??= loadRooms();
    const own = (await loaded).filter(({ folder }) => changed.some((file) => file.includes(`/${folder}`)));
    return own.flatMap(({ tests }) => tests);
  };

  return {
    /** What is loaded stays loaded: Stryker starts another process for what acts while loading. */
    capabilities: () => ({ reloadEnvironment: false }),

    async dryRun({ files = [] }: DryRunOptions): Promise<CompleteDryRunResult> {
      const results: TestResult[] = [];
      for (const test of await testsFor(files)) {
        code.currentTestId = test.id;
        results.push(await resultOf(test));
        code.currentTestId = undefined;
      }
      const { mutantCoverage } = code;
      return {
        status: DryRunStatus.Complete,
        tests: results,
        ...(mutantCoverage === undefined ? {} : { mutantCoverage }),
      };
    },

    async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
      const { activeMutant, disableBail, hitLimit, mutantActivation, sandboxFileName, testFilter } = options;
      if (!isSampled(countedFromOne(activeMutant), every))
        return { status: MutantRunStatus.Error, errorMessage: "left out" };
      if (mutantActivation === "static") code.activeMutant = activeMutant.id;
      const wanted = testFilter === undefined ? undefined : new Set(testFilter);
      const chosen = (await testsFor([sandboxFileName])).filter(({ id }) => wanted?.has(id) ?? true);
      Object.assign(code, { hitCount: 0, hitLimit, activeMutant: activeMutant.id });
      const results: TestResult[] = [];
      for (const test of order.sorted(chosen)) {
        watch.start();
        const result = await resultOf(test);
        if (watch.isOver) return stopped(`${test.name} does not end`);
        results.push(result);
        if (result.status !== TestStatus.Failed) continue;
        order.noteKiller(test);
        if (!disableBail) break;
      }
      code.activeMutant = undefined;
      const endless = determineHitLimitReached(code.hitCount, hitLimit);
      return toMutantRunResult(endless ?? { status: DryRunStatus.Complete, tests: results });

      function stopped(reason: string): MutantRunResult {
        code.activeMutant = undefined;
        return { status: MutantRunStatus.Timeout, reason };
      }
    },

    dispose: endTests,
  };
}

function countedFromOne(mutant: Mutant): Change {
  const { line, column } = mutant.location.start;
  return { ...mutant, location: { start: { line: line + 1, column: column + 1 } } };
}

/** Neighbouring mutants mostly fall to the same tests, so those that found one go first, the last one before all. */
class KillersFirst {
  readonly #killers = new Map<string, number>();
  #kills = 0;

  sorted(tests: readonly TestCase[]): readonly TestCase[] {
    return tests.toSorted((a, b) => (this.#killers.get(b.id) ?? 0) - (this.#killers.get(a.id) ?? 0));
  }

  noteKiller({ id }: TestCase): void {
    this.#kills += 1;
    this.#killers.set(id, this.#kills);
  }
}

async function resultOf(test: TestCase): Promise<TestResult> {
  const { id, name } = test;
  const start = performance.now();
  const spent = () => ({ timeSpentMs: Math.round(performance.now() - start) });
  try {
    await test.run();
    return { id, name, ...spent(), status: TestStatus.Success };
  } catch (error) {
    const failureMessage = error instanceof Error ? error.message : String(error);
    return { id, name, ...spent(), status: TestStatus.Failed, failureMessage };
  }
}

async function loadRooms(): Promise<readonly { readonly folder: string; readonly tests: readonly TestCase[] }[]> {
  const api = new URL("test-api.ts", import.meta.url).href;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "vitest" && context.parentURL !== api ? { url: api, shortCircuit: true } : next(specifier, context),
  });
  // The same examples for every mutant.
  fc.configureGlobal({ seed: 1 });
  const loaded: { readonly folder: string; readonly tests: readonly TestCase[] }[] = [];
  for (const { folder, tests } of rooms) loaded.push({ folder, tests: await loadTests(tests) });
  return loaded;
}

async function loadTests(patterns: readonly string[]): Promise<readonly TestCase[]> {
  const all: TestCase[] = [];
  for (const file of globSync(patterns).toSorted()) {
    all.push(...(await collectTests(file, () => import(pathToFileURL(path.resolve(file)).href))));
  }
  return all.filter(({ id }) => !leftOut.some((pattern) => pattern.test(id)));
}

process.on("unhandledRejection", () => {
  // Of a mutant whose test has ended. The test says what became of it.
});
