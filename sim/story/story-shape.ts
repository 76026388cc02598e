/** A JSON list or object within a sentence; nested ones are replaced from the inside. */
const STRUCTURE = /\[[^[\]{}]*\]|\{[^[\]{}]*\}/g;
const QUOTED = /"(?:[^"\\]|\\.)*"/g;
/** A number, or a name with a number in it: an id, a record, a host, a time. */
const NUMBERED = /[^\s,;:()'"]*\d[^\s,;()'"]*?(?=[:.]?(?:$|[\s,;()'"]))/g;
/** Several of the same in a row are one, so that lists of any length are alike. */
const REPEATED = /(#|"#"|\[#\])(?:(?:, | and )\1)+/g;

/**
 * Returns a sentence about a run with numbers, ids, keys and times replaced by `#`, so that the
 * same thing seen in two runs gives the same text.
 */
export function storyShape(sentence: string): string {
  let shape = sentence.replaceAll(QUOTED, '"#"');
  for (let before = ""; before !== shape;) {
    before = shape;
    shape = shape.replaceAll(STRUCTURE, "#");
  }
  return shape.replaceAll(NUMBERED, "#").replaceAll(REPEATED, "$1");
}
