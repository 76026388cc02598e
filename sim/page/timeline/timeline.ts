import { element } from "../element.ts";
import type { LaneGroup } from "../lanes/lane.ts";
import type { PageState } from "../page-state.ts";
import { barAt, nearestEvent } from "./level-of-detail.ts";
import { type Palette, paletteOf } from "./palette.ts";
import { Painter } from "./painter.ts";
import { type Rows, rowsFrom } from "./rows.ts";
import { type Axis, Scale } from "./scale.ts";
import { Tiles } from "./tiles.ts";
import { timeText } from "../../story/story.ts";

const AXIS_HEIGHT = 30;
const GUTTER_WIDTH = 224;
/** On a narrow screen the names take no more of it than this share. */
const GUTTER_SHARE = 0.3;
/** How near to an event a pointer must be, in pixels. */
const REACH = 6;
/** A pointer that moves less than this has clicked. */
const CLICK_PIXELS = 4;
const ZOOM_STEP = 1.25;
/** How much of the run is shown about the break at first. */
const EVENTS_BEFORE = 90;
const EVENTS_AFTER = 12;

interface Drag {
  x: number;
  moved: number;
}

/** The lanes of a run on a canvas, which is zoomed, panned and pointed at. */
export class Timeline {
  readonly element: HTMLElement;
  readonly scale: Scale;
  readonly #state: PageState;
  readonly #canvas = element("canvas", {
    attributes: { "aria-hidden": "true" },
  });
  readonly #spacer = element("div", { class: "timeline-spacer" });
  readonly #scroller: HTMLElement;
  readonly #tip = element("div", { class: "tip", attributes: { role: "status" } });
  #hidden: ReadonlySet<LaneGroup> = new Set();
  #filter = "";
  #rows: Rows;
  readonly #tiles = new Tiles();
  #palette: Palette | undefined;
  #hovered: number | undefined;
  #drag: Drag | undefined;
  readonly #pointers = new Map<number, number>();

  constructor(state: PageState) {
    this.#state = state;
    this.scale = new Scale(state.run.trace.times());
    this.#rows = rowsFrom(state.run.lanes.lanes, { hidden: this.#hidden, text: "" });
    this.#scroller = element(
      "div",
      {
        class: "timeline",
        attributes: {
          tabindex: "0",
          role: "application",
          "aria-label":
            "Timeline. Left and right arrow: step by event. Plus and minus: zoom. Up and down: scroll.",
        },
      },
      this.#canvas,
      this.#spacer,
    );
    this.element = element("div", { class: "timeline-frame" }, this.#scroller, this.#tip);
    this.#listen();
    new ResizeObserver(() => this.#resize()).observe(this.#scroller);
    state.on(["cursor", "journey", "search", "view"], () => this.#draw());
  }

  /** Shows what led to an event. */
  showBefore(event: number): void {
    this.scale.showAround(event, EVENTS_BEFORE, EVENTS_AFTER);
    this.#state.changed("view");
  }

  /** Brings the cursor into view, and its lane. */
  reveal(): void {
    const { cursor, run } = this.#state;
    this.scale.reveal(cursor);
    const middle = this.#rows.middleOf(run.lanes.laneOf[cursor] ?? 0);
    const { scrollTop, clientHeight } = this.#scroller;
    const room = clientHeight - AXIS_HEIGHT;
    if (middle !== undefined && (middle < scrollTop + 20 || middle > scrollTop + room - 20)) {
      this.#scroller.scrollTop = middle - room / 2;
    }
    this.#state.changed("view");
  }

  zoom(direction: 1 | -1, x: number = this.#cursorX()): void {
    this.scale.zoom(direction === 1 ? 1 / ZOOM_STEP : ZOOM_STEP, x);
    this.#state.changed("view");
  }

  showAll(): void {
    this.scale.showAll();
    this.#state.changed("view");
  }

  setAxis(axis: Axis): void {
    this.scale.setAxis(axis, this.#state.cursor);
    this.#state.changed("view");
  }

  setFilter(hidden: ReadonlySet<LaneGroup>, text: string): void {
    this.#hidden = hidden;
    this.#filter = text.trim().toLowerCase();
    this.#layOut();
  }

  /** Reads the colours again, after a change of the theme. */
  recolour(): void {
    this.#palette = undefined;
    this.#state.changed("view");
  }

  /** The cursor's pixel, or the middle if it is out of view. */
  #cursorX(): number {
    const x = this.scale.xOf(this.#state.cursor);
    return x >= 0 && x <= this.scale.width ? x : this.scale.width / 2;
  }

  get #gutter(): number {
    return Math.min(GUTTER_WIDTH, Math.floor(this.#scroller.clientWidth * GUTTER_SHARE));
  }

  #layOut(): void {
    const filter = { hidden: this.#hidden, text: this.#filter };
    this.#rows = rowsFrom(this.#state.run.lanes.lanes, filter);
    this.#resize();
  }

  #resize(): void {
    const { clientWidth, clientHeight } = this.#scroller;
    if (clientWidth === 0) return;
    const ratio = devicePixelRatio;
    this.#canvas.width = clientWidth * ratio;
    this.#canvas.height = clientHeight * ratio;
    this.#canvas.style.width = `${clientWidth}px`;
    this.#canvas.style.height = `${clientHeight}px`;
    const surplus = this.#rows.height + AXIS_HEIGHT - clientHeight;
    this.#spacer.style.height = `${Math.max(surplus, 0)}px`;
    this.scale.width = Math.max(clientWidth - this.#gutter, 1);
    this.scale.show(this.scale.from, this.scale.to);
    this.#draw();
  }

  #draw(): void {
    const context = this.#canvas.getContext("2d");
    if (context === null || this.#canvas.width === 0) return;
    const ratio = devicePixelRatio;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.#palette ??= paletteOf(this.#scroller);
    const { run, cursor, journey, found } = this.#state;
    new Painter(context, this.#palette, this.#tiles).draw({
      run,
      scale: this.scale,
      rows: this.#rows,
      gutter: this.#gutter,
      axis: AXIS_HEIGHT,
      top: this.#scroller.scrollTop,
      height: this.#scroller.clientHeight,
      cursor,
      hovered: this.#hovered,
      journey,
      found,
    });
  }

  #listen(): void {
    const on = this.#scroller;
    on.addEventListener("scroll", () => this.#state.changed("view"));
    on.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    on.addEventListener("pointerdown", (event) => this.#down(event));
    on.addEventListener("pointermove", (event) => this.#move(event));
    on.addEventListener("pointerup", (event) => this.#up(event));
    on.addEventListener("pointercancel", (event) => this.#pointers.delete(event.pointerId));
    on.addEventListener("pointerleave", () => this.#hover(undefined, 0, 0));
  }

  #wheel(event: WheelEvent): void {
    const isZoom = event.ctrlKey || event.metaKey;
    if (!isZoom && Math.abs(event.deltaX) <= Math.abs(event.deltaY) && !event.shiftKey) return;
    event.preventDefault();
    if (isZoom) this.zoom(event.deltaY < 0 ? 1 : -1, this.#xOf(event));
    else {
      this.scale.pan(event.deltaX === 0 ? event.deltaY : event.deltaX);
      this.#state.changed("view");
    }
  }

  #down(event: PointerEvent): void {
    this.#pointers.set(event.pointerId, event.clientX);
    this.#drag = { x: event.clientX, moved: 0 };
  }

  #move(event: PointerEvent): void {
    if (this.#pointers.size > 1 && this.#pointers.has(event.pointerId)) return this.#pinch(event);
    if (this.#drag === undefined || event.buttons === 0) {
      const found = this.#eventUnder(event);
      return this.#hover(found, event.offsetX, event.offsetY);
    }
    const by = event.clientX - this.#drag.x;
    this.#drag.x = event.clientX;
    this.#drag.moved += Math.abs(by);
    if (this.#drag.moved < CLICK_PIXELS) return;
    this.#scroller.setPointerCapture(event.pointerId);
    this.scale.pan(-by);
    this.#state.changed("view");
  }

  /** Two fingers: the distance between them is the zoom. */
  #pinch(event: PointerEvent): void {
    const spread = (): number => {
      const [one = 0, other = 0] = this.#pointers.values();
      return Math.max(Math.abs(one - other), 1);
    };
    const before = spread();
    this.#pointers.set(event.pointerId, event.clientX);
    if (this.#drag !== undefined) this.#drag.moved += CLICK_PIXELS;
    this.scale.zoom(before / spread(), this.#xOf(event));
    this.#state.changed("view");
  }

  #up(event: PointerEvent): void {
    const isClick = this.#drag !== undefined && this.#drag.moved < CLICK_PIXELS;
    this.#drag = undefined;
    this.#pointers.delete(event.pointerId);
    if (!isClick) return;
    const found = this.#eventUnder(event);
    const at = this.scale.eventAt(this.scale.positionAt(this.#xOf(event)));
    this.#state.moveTo(found ?? at);
  }

  #xOf(event: MouseEvent): number {
    return event.clientX - this.#scroller.getBoundingClientRect().left - this.#gutter;
  }

  /** The event that a pointer points at: a mark, else another event, else the bar's first. */
  #eventUnder(event: MouseEvent): number | undefined {
    const { top } = this.#scroller.getBoundingClientRect();
    const y = event.clientY - top - AXIS_HEIGHT + this.#scroller.scrollTop;
    const row = this.#rows.rows.find((one) => y >= one.y && y < one.y + one.height);
    if (row?.kind !== "lane" || event.clientY - top < AXIS_HEIGHT) return undefined;
    const lane = this.#state.run.lanes.lanes[row.lane];
    const x = this.#xOf(event);
    if (lane === undefined || x < 0) return undefined;
    return (
      nearestEvent(lane.marks.events, this.scale, x, REACH) ??
      nearestEvent(lane.ticks, this.scale, x, REACH) ??
      barAt(lane.spans, this.scale, x) ??
      barAt(lane.bars, this.scale, x)
    );
  }

  #hover(event: number | undefined, x: number, y: number): void {
    if (event === undefined && this.#hovered === undefined) return;
    this.#hovered = event;
    this.#tip.hidden = event === undefined;
    if (event !== undefined) {
      const { trace } = this.#state.run;
      const when = `${timeText(trace.at(event))} · ${trace.host(event)}`;
      this.#tip.replaceChildren(
        element("b", { text: this.#state.run.words(event) }),
        element("span", { text: when }),
      );
      const left = Math.min(x + 14, this.#scroller.clientWidth - this.#tip.offsetWidth - 8);
      this.#tip.style.transform = `translate(${Math.max(left, 4)}px, ${y - this.#scroller.scrollTop + 16}px)`;
    }
    this.#state.changed("view");
  }
}
