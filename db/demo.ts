import type { Data } from "../src/data.ts";
export async function fillDemo(_data: Data, _options: { now: number; lanes: readonly string[] }): Promise<void> {}
