/** Returns what `promise` resolves to, or undefined as soon as `signal` aborts. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    function giveUp(): void {
      resolve(undefined);
    }
    signal.addEventListener("abort", giveUp, { once: true });
    void promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  });
}
