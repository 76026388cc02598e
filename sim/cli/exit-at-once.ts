import process from "node:process";

/** The C library of each platform, which has `_exit`. */
const C_LIBRARIES: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  linux: "libc.so.6",
  darwin: "libSystem.B.dylib",
  win32: "msvcrt.dll",
};

interface Library {
  readonly symbols: { readonly _exit: (code: number) => void };
}

interface DenoHost {
  dlopen?(name: string, symbols: object): Library;
}

interface BunFfi {
  dlopen(name: string, symbols: object): Library;
}

/**
 * Ends the process from any of its threads, even where another one blocks: with this exit code by
 * the C library on Deno and Bun, and by SIGKILL where that cannot be reached.
 */
export async function exitAtOnce(code: number): Promise<void> {
  try {
    (await cLibrary(C_LIBRARIES[process.platform] ?? ""))?.symbols._exit(code);
  } catch {
    // A musl system, or a runtime that was not permitted to load libraries.
  }
  process.kill(process.pid, "SIGKILL");
}

async function cLibrary(name: string): Promise<Library | undefined> {
  const { Deno } = globalThis as { readonly Deno?: DenoHost };
  if (Deno?.dlopen !== undefined) {
    return Deno.dlopen(name, { _exit: { parameters: ["i32"], result: "void" } });
  }
  if (process.versions["bun"] === undefined) return undefined;
  const ffi = "bun:ffi";
  const library = (await import(ffi)) as BunFfi;
  return library.dlopen(name, { _exit: { args: ["i32"], returns: "void" } });
}
