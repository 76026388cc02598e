/** Loads a module of which some versions of the runtime warn, although nobody has asked for it. */
export function loadQuietly<T>(load: () => T): T {
  const { process } = globalThis as { readonly process?: { emitWarning?: unknown } };
  const was = process?.emitWarning;
  if (process === undefined || was === undefined) return load();
  process.emitWarning = () => undefined;
  try {
    return load();
  } finally {
    process.emitWarning = was;
  }
}
