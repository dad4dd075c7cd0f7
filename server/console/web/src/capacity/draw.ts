// Charts on a canvas: bars of what was served and refused, and a map of partitions by time.

import type { Series, Side } from './series';

const BAR_HEIGHT = 90;
const ROWS_HEIGHT_MAX = 260;
const ROW_HEIGHT_MAX = 26;
// A cell with any use is told from an empty one.
const FAINTEST = 0.15;

interface Colours {
  use: string;
  refused: string;
  line: string;
}

function coloursOf(canvas: HTMLCanvasElement): Colours {
  // A property has both themes; the colour of an element is that of the present one.
  const colour = (name: string) => {
    canvas.style.color = `var(${name})`;
    return getComputedStyle(canvas).color;
  };
  return { use: colour('--accent'), refused: colour('--bad'), line: colour('--line') };
}

/** Clears the canvas and gives it this height; its width is that of its place on the page. */
function begin(canvas: HTMLCanvasElement, height: number): { context: CanvasRenderingContext2D; width: number } {
  const scale = devicePixelRatio || 1;
  const width = canvas.clientWidth;
  canvas.style.height = `${height}px`;
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d')!;
  context.scale(scale, scale);
  context.clearRect(0, 0, width, height);
  return { context, width };
}

/** Bars of units, the refused requests above them. */
export function drawBars(canvas: HTMLCanvasElement, series: Series, side: Side): void {
  const { context, width } = begin(canvas, BAR_HEIGHT);
  const colours = coloursOf(canvas);
  const served = series.table[side];
  const refused = series.table[`${side}_throttled`];
  const most = Math.max(1, ...served.map((each, at) => each + refused[at]));
  const step = width / served.length;
  const bar = Math.max(1, step - (step > 4 ? 1 : 0));
  context.fillStyle = colours.line;
  context.fillRect(0, BAR_HEIGHT - 1, width, 1);
  served.forEach((units, at) => {
    const height = ((BAR_HEIGHT - 1) * units) / most;
    const lost = ((BAR_HEIGHT - 1) * refused[at]) / most;
    context.fillStyle = colours.use;
    context.fillRect(at * step, BAR_HEIGHT - 1 - height, bar, height);
    context.fillStyle = colours.refused;
    context.fillRect(at * step, BAR_HEIGHT - 1 - height - lost, bar, lost);
  });
}

function rowHeight(rows: number): number {
  return Math.max(4, Math.min(ROW_HEIGHT_MAX, Math.floor(ROWS_HEIGHT_MAX / rows)));
}

/** A row for each partition; the colour is the share of its limit, a mark says that it refused requests. */
export function drawMap(canvas: HTMLCanvasElement, series: Series, side: Side): void {
  const height = rowHeight(series.partitions.length);
  const { context, width } = begin(canvas, height * series.partitions.length);
  const colours = coloursOf(canvas);
  const full = series.partition_limits[side] * series.step;
  series.partitions.forEach((partition, row) => {
    const step = width / partition[side].length;
    const top = row * height;
    context.fillStyle = colours.line;
    context.fillRect(0, top + height - 1, width, 1);
    partition[side].forEach((units, at) => {
      if (units > 0) {
        context.globalAlpha = Math.min(1, FAINTEST + ((1 - FAINTEST) * units) / (full * partition.count));
        context.fillStyle = colours.use;
        context.fillRect(at * step, top, Math.max(1, step), height - 1);
        context.globalAlpha = 1;
      }
      if (partition.refused[at] > 0) {
        context.fillStyle = colours.refused;
        context.fillRect(at * step, top, Math.max(1, step), Math.max(2, (height - 1) / 3));
      }
    });
  });
}

/** The row and the step at a point of the map. */
export function cellAt(canvas: HTMLCanvasElement, series: Series, x: number, y: number): { row: number; at: number } | undefined {
  const row = Math.floor(y / rowHeight(series.partitions.length));
  const steps = series.table.read.length;
  const at = Math.floor((x / canvas.clientWidth) * steps);
  return row >= 0 && row < series.partitions.length && at >= 0 && at < steps ? { row, at } : undefined;
}
