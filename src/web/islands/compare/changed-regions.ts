/** Finds the regions of an image that changed: blocks of pixels that are close, and the boxes around them. */

/** In pixels. */
export interface Region {
  x: number;
  y: number;
  w: number;
  h: number;
}

export interface Changes {
  /** From top to bottom, then from left to right. */
  regions: Region[];
  /** Share of the pixels that changed, from 0 to 1. */
  share: number;
  /** An image that was generated again differs everywhere, so its regions say nothing. */
  isEverywhere: boolean;
}

/** Blocks in a row or column of the longer side. */
const blocksMax = 96;
/** More than this is an image that was generated again, by our judgment: a reviewer cannot walk through it. */
const regionsMax = 60;
const blockShareMax = 0.4;

/** @param isChanged one byte a pixel, row by row; 0 where both images agree */
export function findChanges(isChanged: Uint8Array, width: number, height: number): Changes {
  const size = Math.max(4, Math.ceil(Math.max(width, height) / blocksMax));
  const columns = Math.ceil(width / size);
  const rows = Math.ceil(height / size);
  const blocks = new Map<number, Region>();
  let count = 0;
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at++) {
      if (isChanged[at] === 0) continue;
      count++;
      const key = Math.floor(y / size) * columns + Math.floor(x / size);
      blocks.set(key, unionOf(blocks.get(key), { x, y, w: 1, h: 1 }));
    }
  const regions = joinBlocks(blocks, columns).toSorted((a, b) => a.y - b.y || a.x - b.x);
  const isEverywhere = regions.length > regionsMax || blocks.size > blockShareMax * columns * rows;
  return { regions, share: count / (width * height), isEverywhere };
}

/** Connected components of the grid. */
function joinBlocks(blocks: ReadonlyMap<number, Region>, columns: number): Region[] {
  const visited = new Set<number>();
  const regions: Region[] = [];
  for (const start of blocks.keys()) {
    if (visited.has(start)) continue;
    visited.add(start);
    const queue = [start];
    let region: Region | undefined;
    for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
      region = unionOf(region, blocks.get(key) as Region);
      for (const next of neighbors(key, columns)) {
        if (visited.has(next) || !blocks.has(next)) continue;
        visited.add(next);
        queue.push(next);
      }
    }
    if (region) regions.push(region);
  }
  return regions;
}

/** Changes with an unchanged block between them are one region, so that a line of text is one. */
const reach = [-2, -1, 0, 1, 2];

function neighbors(key: number, columns: number): number[] {
  const column = key % columns;
  const beside = reach.filter((by) => column + by >= 0 && column + by < columns);
  return reach.flatMap((down) => beside.map((by) => key + down * columns + by));
}

function unionOf(one: Region | undefined, other: Region): Region {
  if (!one) return other;
  const [x, y] = [Math.min(one.x, other.x), Math.min(one.y, other.y)];
  return {
    x,
    y,
    w: Math.max(one.x + one.w, other.x + other.w) - x,
    h: Math.max(one.y + one.h, other.y + other.h) - y,
  };
}
