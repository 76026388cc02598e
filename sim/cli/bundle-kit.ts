import { fileURLToPath } from "node:url";
import { build, type Plugin, transform } from "esbuild";
import { OPEN_FRAME, trackAwaits } from "../browser/track-awaits.ts";

/** The browsers that run the simulator; all have `Promise.withResolvers` and `scheduler.postTask`. */
export const KIT_TARGET: string[] = ["chrome119", "firefox142"];

/** What the kit's own frames of a stack are called, which `callPlace` leaves out. */
const KIT = "file:///faultlane/sim/kit.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Puts the browser's async contexts in the place of the runtime's. */
const trackedContext: Plugin = {
  name: "tracked-context",
  setup(bundle) {
    const path = `${ROOT}sim/browser/tracked-context.ts`;
    bundle.onResolve({ filter: /\/async-context\.ts$/ }, () => ({ path }));
  },
};

/** Leaves out zod's messages in other languages, which are a third of the bundle. */
const englishOnly: Plugin = {
  name: "english-only",
  setup(bundle) {
    bundle.onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({ contents: "" }));
  },
};

/**
 * Bundles a program that contains the simulator for browsers.
 *
 * @param program - TypeScript; its imports are relative to the root of the kit
 */
export async function bundleKit(program: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: [
        `import { openFrame, trackReactions } from "./sim/browser/tracked-context.ts";`,
        `trackReactions();`,
        `globalThis.${OPEN_FRAME} = openFrame;`,
        program,
      ].join("\n"),
      resolveDir: ROOT,
      loader: "ts",
    },
    bundle: true,
    write: false,
    format: "iife",
    target: KIT_TARGET,
    charset: "ascii",
    legalComments: "none",
    keepNames: true,
    define: { "import.meta.url": JSON.stringify(KIT) },
    plugins: [trackedContext, englishOnly],
  });
  const tracked = trackAwaits(outputFiles[0]?.text ?? "");
  const { code } = await transform(tracked, {
    minify: true,
    // A model tells the commands of a client library by the names of their classes.
    keepNames: true,
    target: KIT_TARGET,
    charset: "ascii",
  });
  return `${code}//# sourceURL=${KIT}\n`;
}
