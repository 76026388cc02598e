/** What the pictures of the lanes depend on, beside the stretch in view. */
export interface TileView {
  /** Pictures are made anew when one of these is another. */
  readonly made: readonly unknown[];
  readonly pixelsPerUnit: number;
  /** The position at the left edge. */
  readonly from: number;
  readonly width: number;
  readonly height: number;
}

/** A stretch to be drawn: a tile, and a margin at both sides, which is not seen. */
export interface TileStretch {
  readonly from: number;
  readonly to: number;
  readonly margin: number;
  readonly width: number;
}

const TILE_WIDTH = 512;
/** What lies so near to a tile, in pixels, reaches into it. */
const MARGIN = 8;
const TILES_MAX = 16;
/** By how many pixels a tile may be in the wrong place. */
const ERROR_MAX = 0.25;

/** Pictures of stretches of the lanes, kept while the run is panned at one zoom. */
export class Tiles {
  readonly #tiles = new Map<number, HTMLCanvasElement>();
  #made: readonly unknown[] = [];
  #pixelsPerUnit = 0;

  /** Draws the tiles in view at the context's origin; `paint` makes those that are missing. */
  draw(
    context: CanvasRenderingContext2D,
    view: TileView,
    paint: (context: CanvasRenderingContext2D, stretch: TileStretch) => void,
  ): void {
    this.#forgetUnlike(view);
    const left = Math.round(view.from * this.#pixelsPerUnit);
    const first = Math.floor(left / TILE_WIDTH);
    const last = Math.floor((left + view.width) / TILE_WIDTH);
    for (let at = first; at <= last; at += 1) {
      const tile = this.#tiles.get(at) ?? this.#painted(at, view.height, paint);
      if (tile === undefined) continue;
      // The newest are at the end.
      this.#tiles.delete(at);
      this.#tiles.set(at, tile);
      context.drawImage(tile, at * TILE_WIDTH - left, 0, TILE_WIDTH, view.height);
    }
    for (const at of this.#tiles.keys()) {
      if (this.#tiles.size <= TILES_MAX) break;
      this.#tiles.delete(at);
    }
  }

  #forgetUnlike({ made, pixelsPerUnit, from, width }: TileView): void {
    const error = Math.abs(pixelsPerUnit - this.#pixelsPerUnit) * (from + width / pixelsPerUnit);
    const isSame = made.every((part, at) => part === this.#made[at]);
    if (isSame && made.length === this.#made.length && error <= ERROR_MAX) return;
    this.#tiles.clear();
    this.#made = made;
    this.#pixelsPerUnit = pixelsPerUnit;
  }

  #painted(
    at: number,
    height: number,
    paint: (context: CanvasRenderingContext2D, stretch: TileStretch) => void,
  ): HTMLCanvasElement | undefined {
    const tile = document.createElement("canvas");
    tile.width = TILE_WIDTH * devicePixelRatio;
    tile.height = height * devicePixelRatio;
    const context = tile.getContext("2d");
    if (context === null) return undefined;
    context.scale(devicePixelRatio, devicePixelRatio);
    const [left, right] = [at * TILE_WIDTH - MARGIN, (at + 1) * TILE_WIDTH + MARGIN];
    paint(context, {
      from: left / this.#pixelsPerUnit,
      to: right / this.#pixelsPerUnit,
      margin: MARGIN,
      width: right - left,
    });
    return tile;
  }
}
