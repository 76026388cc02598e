/** The folder of the kit's own code: .../sim/ and its neighbour .../src/. */
const KIT = new URL("../../", import.meta.url).href;
const OWN = [`${KIT}sim/`, `${KIT}src/`].flatMap((url) => [url, url.replace(/^file:\/\//, "")]);
const FRAMES = 60;

/** Whether a file, a path or a URL, is one of the kit's. */
export function isOfKit(file: string): boolean {
  return OWN.some((own) => file.startsWith(own));
}

/**
 * Returns the place in user code that the running call comes from, "orders.ts:12:5": the innermost
 * frame that is neither the kit's nor the runtime's. A package's frame counts when there is no other.
 */
export function callPlace(): string | undefined {
  return placeIn(stackWith({})) ?? placeIn(stackWith({ prepareStackTrace: plainStack }));
}

interface StackSettings {
  readonly prepareStackTrace?: (error: unknown, frames: readonly unknown[]) => string;
}

function stackWith(settings: StackSettings): string {
  const { stackTraceLimit } = Error;
  const prepareStackTrace: unknown = Reflect.get(Error, "prepareStackTrace");
  Object.assign(Error, { stackTraceLimit: FRAMES, ...settings });
  // Some runtimes write the text only when it is read.
  const { stack } = new Error("where");
  Object.assign(Error, { stackTraceLimit, prepareStackTrace });
  return typeof stack === "string" ? stack : "";
}

/** Code may have set a format of its own for all errors. */
function plainStack(_error: unknown, frames: readonly unknown[]): string {
  return frames.map((frame) => `    at ${String(frame)}`).join("\n");
}

function placeIn(stack: string): string | undefined {
  const all = stack
    .split("\n")
    .map(
      (line) => /(?:\(|at |@)((?:file:\/\/|node:)?\/?[^\s()@]+:\d+:\d+)\)?$/.exec(line.trim())?.[1],
    )
    .filter((frame) => frame !== undefined);
  const frames = all.slice(all.findIndex((frame) => !isOfKit(frame)));
  const ofUser = frames.find((one) => !isOfKit(one) && !isOfPackage(one) && !isOfRuntime(one));
  // Packages that call the kit, such as its parser of command lines, are none of the user's.
  const ofKit = frames.findIndex(isOfKit);
  const called = frames.slice(0, ofKit === -1 ? undefined : ofKit);
  const frame = ofUser ?? called.find((one) => !isOfRuntime(one));
  return frame
    ?.replace(/^file:\/\//, "")
    .replace(/\?[^:]*/, "")
    .split("/")
    .slice(-1)[0];
}

function isOfPackage(frame: string): boolean {
  return frame.includes("/node_modules/");
}

function isOfRuntime(frame: string): boolean {
  return /^(node|ext|native|bun|internal):?/.test(frame);
}
