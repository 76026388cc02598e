type AnyClass = abstract new (...args: never[]) => object;

/**
 * Makes `instanceof` recognise objects that another copy of this package has made: a program may
 * load two, such as a command of its own and the one that its operators import.
 *
 * Holds: `instanceof` a subclass is decided as ever.
 */
export function recogniseAnyCopy(made: AnyClass, name: string): void {
  const mark = Symbol.for(`faultlane.${name}`);
  Object.defineProperty(made.prototype, mark, { value: true });
  Object.defineProperty(made, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      if (this === made) return typeof value === "object" && value !== null && mark in value;
      return Function.prototype[Symbol.hasInstance].call(this as AnyClass, value);
    },
  });
}
