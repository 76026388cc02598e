const ZONE = "UTC";

interface ProcessHost {
  readonly env?: Record<string, string | undefined>;
}

/**
 * Makes UTC the time zone of the process, where it is not, until the result is called.
 *
 * A worker thread cannot change the zone of its process; the command line does it before it starts
 * any.
 */
export function fixTimeZone(): () => void {
  const { process } = globalThis as { readonly process?: ProcessHost };
  const env = process?.env;
  if (env === undefined || env["TZ"] === ZONE) return () => undefined;
  const before = env["TZ"];
  env["TZ"] = ZONE;
  return () => {
    if (before === undefined) delete env["TZ"];
    else env["TZ"] = before;
  };
}
