import { transform } from "sucrase";
import { openFrame } from "../browser/tracked-context.ts";
import { OPEN_FRAME, trackAwaits } from "../browser/track-awaits.ts";
import { loadInRealm } from "../realm/loading-realm.ts";
import { PACKAGES } from "./packages.ts";

type Load = (exports: object, require: (name: string) => unknown, open: typeof openFrame) => void;

/**
 * Strips the types of a module and evaluates it, in the realm that its runs will have.
 *
 * @throws {SyntaxError} when it is no TypeScript
 * @throws {TypeError} when it imports what the page does not have
 */
export function loadCode(code: string): Promise<Readonly<Record<string, unknown>>> {
  const { code: script } = transform(code, {
    transforms: ["typescript", "imports"],
    disableESTransforms: true,
    preserveDynamicImport: true,
  });
  // Evaluating what was typed is what this page is for; its policy lets it reach nothing else.
  // oxlint-disable-next-line typescript/no-implied-eval
  const load = new Function(
    "exports",
    "require",
    OPEN_FRAME,
    `${trackAwaits(script)}\n//# sourceURL=producer.ts`,
  ) as Load;
  return loadInRealm("producer", async () => {
    const exports: Record<string, unknown> = {};
    load(exports, requirePackage, openFrame);
    return Promise.resolve(exports);
  });
}

function requirePackage(name: string): unknown {
  if (Object.hasOwn(PACKAGES, name)) return PACKAGES[name];
  throw new TypeError(
    `Cannot import "${name}" here: only types, and ${Object.keys(PACKAGES).join(", ")}; the client is given`,
  );
}
