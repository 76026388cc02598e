import { autocompletion, type CompletionContext, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { javascript } from "@codemirror/lang-javascript";
import { yaml } from "@codemirror/lang-yaml";
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from "@codemirror/language";
import { linter, lintGutter } from "@codemirror/lint";
import { type Extension } from "@codemirror/state";
import { drawSelection, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { proposalsAt, type Schema } from "./complete-scenario.ts";
import type { Problem } from "./messages.ts";
import { STYLE_NONCE } from "./playground-data.ts";

const COLOURS = HighlightStyle.define([
  {
    tag: [tags.keyword, tags.definition(tags.propertyName), tags.propertyName],
    color: "var(--link)",
  },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--code-text)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: tags.comment, color: "var(--faint)", fontStyle: "italic" },
  { tag: tags.typeName, color: "var(--code-number)" },
]);

const LINT_DELAY_MS = 400;

/** Creates an editor for scenarios, with completion, and errors as `check` finds them. */
export function scenarioEditor(
  parent: HTMLElement,
  schema: Schema,
  check: (text: string) => Promise<readonly Problem[]>,
): EditorView {
  const complete = ({ state, pos, explicit }: CompletionContext) => {
    const text = state.doc.toString();
    const found = proposalsAt(schema, text, pos);
    if (found === undefined || (!explicit && found.from === pos)) return null;
    const options = found.proposals.map((one) => ({ ...one, type: "property" }));
    return { from: found.from, options, validFor: /^[\w.-]*$/ };
  };
  const source = linter(
    async ({ state }) =>
      (await check(state.doc.toString())).map((one) => ({
        ...one,
        to: Math.min(one.to, state.doc.length),
        severity: "error" as const,
      })),
    { delay: LINT_DELAY_MS },
  );
  return editor(parent, "Scenario", [
    yaml(),
    autocompletion({ override: [complete] }),
    source,
    lintGutter(),
  ]);
}

/** Creates an editor for TypeScript. */
export function codeEditor(parent: HTMLElement): EditorView {
  return editor(parent, "Producer", [javascript({ typescript: true }), autocompletion()]);
}

function editor(parent: HTMLElement, label: string, extensions: readonly Extension[]): EditorView {
  return new EditorView({
    parent,
    extensions: [
      EditorView.cspNonce.of(STYLE_NONCE),
      EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
      lineNumbers(),
      history(),
      drawSelection(),
      indentOnInput(),
      bracketMatching(),
      syntaxHighlighting(COLOURS),
      // Escape, then Tab leaves the editor.
      keymap.of([...defaultKeymap, ...historyKeymap, ...completionKeymap, indentWithTab]),
      ...extensions,
    ],
  });
}

/** Puts another text in the place of the whole. */
export function replaceText(view: EditorView, text: string): void {
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
}
