/** A bar narrower than this has sharp corners, which cost far less. */
const ROUNDED_MIN = 8;

/** Draws a flag whose tip is at `x`. */
export function flag(
  context: CanvasRenderingContext2D,
  x: number,
  bottom: number,
  colour: string,
): void {
  context.fillStyle = colour;
  context.beginPath();
  context.moveTo(x - 5, bottom - 9);
  context.lineTo(x + 5, bottom - 9);
  context.lineTo(x, bottom - 1);
  context.fill();
}

/** Fills a rectangle with round corners. */
export function rounded(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  width: number,
  height: number,
): void {
  if (width < ROUNDED_MIN) {
    context.fillRect(x, y, width, height);
    return;
  }
  context.beginPath();
  context.roundRect(x, y, width, height, 3);
  context.fill();
}

/** Writes as much of a text as is visible within a width. */
export function clippedText(
  context: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  width: number,
): void {
  context.save();
  context.beginPath();
  context.rect(x, y - 10, width, 20);
  context.clip();
  context.fillText(text, x, y);
  context.restore();
}

/** Each tone has a shape, so that nothing is told by colour alone. */
export function mark(context: CanvasRenderingContext2D, tone: string, x: number, y: number): void {
  context.beginPath();
  switch (tone) {
    case "crash":
      context.lineWidth = 2.5;
      context.strokeStyle = context.fillStyle;
      context.moveTo(x - 4, y - 4);
      context.lineTo(x + 4, y + 4);
      context.moveTo(x + 4, y - 4);
      context.lineTo(x - 4, y + 4);
      context.stroke();
      return;
    case "fault":
      context.moveTo(x, y - 6);
      context.lineTo(x + 5, y);
      context.lineTo(x, y + 6);
      context.lineTo(x - 5, y);
      break;
    case "warn":
      context.moveTo(x, y - 5);
      context.lineTo(x + 5, y + 4);
      context.lineTo(x - 5, y + 4);
      break;
    case "wait":
      context.rect(x - 3, y - 4, 2, 8);
      context.rect(x + 1, y - 4, 2, 8);
      break;
    default:
      context.fillRect(x - 2, y - 2, 4, 4);
      return;
  }
  context.fill();
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Draws a line with a tip at its end. */
export function arrow(context: CanvasRenderingContext2D, from: Point, to: Point): void {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.sqrt(dx * dx + dy * dy);
  context.beginPath();
  context.moveTo(from.x, from.y);
  context.lineTo(to.x, to.y);
  context.stroke();
  if (length < 14) return;
  const [ux, uy] = [dx / length, dy / length];
  const [tipX, tipY] = [to.x - ux * 4, to.y - uy * 4];
  context.beginPath();
  context.moveTo(tipX, tipY);
  context.lineTo(tipX - ux * 7 - uy * 3.5, tipY - uy * 7 + ux * 3.5);
  context.lineTo(tipX - ux * 7 + uy * 3.5, tipY - uy * 7 - ux * 3.5);
  context.fill();
}
