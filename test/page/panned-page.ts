import type { Page } from "playwright-core";

/** What was done while a page was panned; times in milliseconds. */
export interface Panned {
  /** The times from one frame to the next. */
  readonly frames: readonly number[];
  /** How many times each frame called the canvas. */
  readonly calls: readonly number[];
}

/** Counts the calls of the canvas from now on. */
export async function countCalls(page: Page): Promise<void> {
  await page.evaluate(() => {
    const counter = globalThis as unknown as { canvasCalls: number };
    counter.canvasCalls = 0;
    const methods = CanvasRenderingContext2D.prototype as unknown as Record<string, unknown>;
    for (const name of Object.getOwnPropertyNames(methods)) {
      // Reading the value of a property such as `fillStyle` needs a canvas.
      const property: { readonly value?: unknown } | undefined = Object.getOwnPropertyDescriptor(
        methods,
        name,
      );
      if (typeof property?.value !== "function") continue;
      const method = property.value as (...args: unknown[]) => unknown;
      methods[name] = function counted(this: unknown, ...args: unknown[]) {
        counter.canvasCalls += 1;
        return method.apply(this, args);
      };
    }
  });
}

/** Shows the whole run, or zooms in from there, and pans by some pixels in each of `frames`. */
export function pan(page: Page, zoomedIn: number, frames: number): Promise<Panned> {
  return page.evaluate(
    async ({ zoomedIn, frames }) => {
      const counter = globalThis as unknown as { canvasCalls: number };
      const timeline = document.querySelector(".timeline");
      const frame = (): Promise<number> => new Promise((done) => requestAnimationFrame(done));
      const wheel = (options: WheelEventInit): boolean | undefined =>
        timeline?.dispatchEvent(
          new WheelEvent("wheel", { bubbles: true, cancelable: true, clientX: 700, ...options }),
        );
      const buttons = [...document.querySelectorAll("button")];
      buttons.find(({ textContent }) => textContent === "Whole run")?.click();
      for (let at = 0; at < zoomedIn; at += 1) wheel({ ctrlKey: true, deltaY: -1 });
      await frame();
      const made: { frames: number[]; calls: number[] } = { frames: [], calls: [] };
      let last = await frame();
      for (let at = 0; at < frames; at += 1) {
        counter.canvasCalls = 0;
        wheel({ deltaX: at % 60 < 30 ? 12 : -12 });
        const now = await frame();
        made.frames.push(now - last);
        made.calls.push(counter.canvasCalls);
        last = now;
      }
      return made;
    },
    { zoomedIn, frames },
  );
}
