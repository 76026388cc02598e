/** What an element is made with; an attribute that is undefined is left out. */
interface ElementParts {
  readonly class?: string;
  readonly id?: string;
  readonly text?: string;
  readonly attributes?: Readonly<Record<string, string | undefined>>;
  readonly on?: Readonly<Record<string, (event: Event) => void>>;
}

/** Makes an element; texts become text, never markup. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  parts: ElementParts = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (parts.class !== undefined) made.className = parts.class;
  if (parts.id !== undefined) made.id = parts.id;
  if (parts.text !== undefined) made.textContent = parts.text;
  for (const [name, value] of Object.entries(parts.attributes ?? {})) {
    if (value !== undefined) made.setAttribute(name, value);
  }
  for (const [name, listener] of Object.entries(parts.on ?? {})) {
    made.addEventListener(name, listener);
  }
  made.append(...children);
  return made;
}

/** Makes a button that does something. */
export function button(
  text: string,
  onClick: () => void,
  parts: Omit<ElementParts, "text" | "on"> = {},
): HTMLButtonElement {
  return element("button", {
    ...parts,
    text,
    attributes: { type: "button", ...parts.attributes },
    on: { click: onClick },
  });
}
