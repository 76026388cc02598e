import { type Tone, TONES } from "../lanes/lane.ts";

/** The colours of the canvas, which has no style sheet of its own. */
export interface Palette {
  readonly ground: string;
  readonly band: string;
  readonly line: string;
  readonly text: string;
  readonly faint: string;
  readonly cursor: string;
  readonly broken: string;
  readonly found: string;
  /** By the place of a tone. */
  readonly tones: readonly string[];
  /** Of the text on a bar, by the place of its tone. */
  readonly onTones: readonly string[];
  readonly parts: readonly string[];
  readonly font: string;
}

/** How many colours tell copies and attempts apart. */
const PARTS = 5;

/** Reads the palette from the style sheet's variables, as the theme has them now. */
export function paletteOf(root: HTMLElement): Palette {
  const style = getComputedStyle(root);
  const value = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const ofTone = (prefix: string) => (tone: Tone) => value(`${prefix}-${tone}`);
  return {
    ground: value("panel"),
    band: value("band"),
    line: value("line"),
    text: value("text"),
    faint: value("faint"),
    cursor: value("cursor"),
    broken: value("tone-crash"),
    found: value("found"),
    tones: TONES.map(ofTone("tone")),
    onTones: TONES.map(ofTone("on-tone")),
    parts: Array.from({ length: PARTS }, (_, at) => value(`part-${at}`)),
    font: style.fontFamily,
  };
}
