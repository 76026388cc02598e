import { DATA_ID, type PlaygroundData } from "./playground-data.ts";
import { openPlayground } from "./playground.ts";

const root = document.querySelector<HTMLElement>("#playground");
const text = document.querySelector(`#${DATA_ID}`)?.textContent;
if (root !== null && typeof text === "string") {
  openPlayground(root, JSON.parse(text) as PlaygroundData);
}
