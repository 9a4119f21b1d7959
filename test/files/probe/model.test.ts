/** What a glTF file contains: read in a child of the probe, from its JSON alone. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { bytesSource } from "../../../src/files/probe/source.ts";
import * as made from "../../support/assets/media.ts";
import { glb, triangle } from "../../support/assets/models.ts";
import { look, probe, root } from "../../support/assets/test-probe.ts";
import { must } from "../../support/harness.ts";

const binary = "model/gltf-binary";
const contentsOf = (bytes: Uint8Array | string, mime = binary) =>
  probe.model(bytesSource(made.bytes(bytes)), mime);
const one = { meshes: 1, triangles: 1, textures: 0, animations: 0, undecoded: [], missing: [] };

describe("a glTF file", () => {
  test("is recognized as binary and as JSON, however it is indented", async () => {
    expect((await look(glb(triangle))).mime).toBe(binary);
    for (const indent of [0, 2])
      expect(await look(JSON.stringify(triangle, null, indent))).toMatchObject({
        ...{ mime: "model/gltf+json", kind: "file" },
      });
    for (const other of ['{"asset":{"version":"2.0"}}', '{"asset":{"version":"1.0"},"nodes":[]}', "{}"])
      expect((await look(other)).mime).toBe("text/plain");
  });

  test("has meshes, triangles, textures and animations", async () => {
    expect(await contentsOf(glb(triangle))).toEqual(one);
    expect(await contentsOf(JSON.stringify(triangle), "model/gltf+json")).toEqual(one);
    const real = await Bun.file(join(root, "test/support/clips/meshopt.glb")).bytes();
    expect(await contentsOf(real)).toMatchObject({ meshes: 3, triangles: 7180, textures: 1, animations: 2 });
    const strip = { mode: 5, indices: 0, attributes: {} };
    const points = { mode: 0, attributes: { POSITION: 0 } };
    const meshes = [{ primitives: [strip, points] }, { primitives: [strip] }];
    expect(must(await contentsOf(glb({ ...triangle, meshes }))).triangles).toBe(2);
  });

  test("says which of its parts the viewer cannot show, and which are elsewhere", async () => {
    const files = { buffers: [{ uri: "a\u202e.bin" }], images: [{ uri: "https://host/b.png" }, {}] };
    const extensionsUsed = ["KHR_draco_mesh_compression", "KHR_materials_unlit", "EXT_meshopt_compression"];
    expect(await contentsOf(glb({ ...triangle, ...files, extensionsUsed }))).toMatchObject({
      undecoded: ["KHR_draco_mesh_compression"],
      missing: ["a.bin", "https://host/b.png"],
    });
  });

  const damaged: [what: string, bytes: Uint8Array][] = [
    ["a cut file", glb(triangle).subarray(0, 100)],
    ["a length beyond the file", glb(triangle, 2 ** 32 - 1)],
    ["a length within the JSON", glb(triangle, 40)],
    ["JSON of 9 MiB", glb(JSON.stringify({ ...triangle, extras: "x".repeat(9 * 2 ** 20) }))],
    ["brackets without an end", glb("[".repeat(2 ** 20))],
    ["another version", glb({ ...triangle, asset: { version: "1.0" } })],
    ["meshes that are no list", glb({ ...triangle, meshes: { length: 2 ** 31 } })],
    ["a count that is no number", glb({ ...triangle, accessors: [{ count: "3" }] })],
    ["a count below 0", glb({ ...triangle, accessors: [{ count: -3 }] })],
    ["a chunk that is no JSON", made.bytes("glTF", made.le32(2), made.le32(24), made.le32(4), "BIN\0{}  ")],
  ];
  test.each(damaged)("with %s is damaged", async (_, bytes) => {
    expect(await contentsOf(bytes)).toBeNull();
  });
});
