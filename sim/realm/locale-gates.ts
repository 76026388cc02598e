import { gateClass, gateFunction, gateOf, gateValue } from "./gate.ts";
import type { Callback, Realm } from "./realm.ts";

const LOCALE = "en-US";
const ZONE = "UTC";

const CLASSES = [
  "Collator",
  "DateTimeFormat",
  "DisplayNames",
  "DurationFormat",
  "ListFormat",
  "NumberFormat",
  "PluralRules",
  "RelativeTimeFormat",
  "Segmenter",
] as const;

/** The functions whose first parameter is a locale, or whose only one is. */
const LOCALE_FIRST: readonly (readonly [holder: object, name: string])[] = [
  [Number.prototype, "toLocaleString"],
  [BigInt.prototype, "toLocaleString"],
  [String.prototype, "toLocaleLowerCase"],
  [String.prototype, "toLocaleUpperCase"],
];

/** Gives every run one locale and one time zone, whatever the machine has: en-US and UTC. */
export function gateLocale(): void {
  for (const name of CLASSES) {
    const fixed = (args: readonly unknown[]): readonly unknown[] => {
      const [locales = LOCALE, options] = args;
      return name === "DateTimeFormat" ? [locales, inZone(options)] : [locales, options];
    };
    gateClass(Intl, name, {
      construct: (_, args) => fixed(args),
      apply: (_, args, real) => real(...fixed(args)),
    });
  }
  gateFormats();
  for (const [holder, name] of LOCALE_FIRST) {
    gateFunction(holder, name, (_, [locales = LOCALE, ...rest], real) => real(locales, ...rest));
  }
  gateFunction(String.prototype, "localeCompare", (_, [that, locales = LOCALE, options], real) =>
    real(that, locales, options),
  );
  for (const name of ["toLocaleString", "toLocaleDateString", "toLocaleTimeString"]) {
    gateFunction(Date.prototype, name, (_, [locales = LOCALE, options], real) =>
      real(locales, inZone(options)),
    );
  }
}

function inZone(options: unknown): object {
  return { timeZone: ZONE, ...(options as object | undefined) };
}

/** A format of no date is one of now. */
function gateFormats(): void {
  const { prototype } = Intl.DateTimeFormat;
  const orNow = ({ wallMs }: Realm, [date, ...rest]: readonly unknown[], real: Callback): unknown =>
    real(date ?? wallMs, ...rest);
  gateFunction(prototype, "formatToParts", orNow);
  gateValue(prototype, "format", (_, self, real) => {
    const format = real() as Callback;
    return gateOf((...args) => Reflect.apply(format, self, args), orNow);
  });
}
