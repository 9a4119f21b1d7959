/** Unpacks an OCI image as a container engine does: it checks every digest on the way. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { unpackTar } from "modern-tar";
import { must } from "../harness.ts";
import { run } from "./packages.ts";

export interface ImageConfig {
  User: string;
  Env: string[];
  Entrypoint: string[];
  Cmd: string[];
}

interface Descriptor {
  mediaType: string;
  digest: string;
  size: number;
}

const digestOf = (data: Uint8Array): string =>
  `sha256:${new Bun.CryptoHasher("sha256").update(data).digest("hex")}`;

/** Unpacks the image that is in the folder of a release to `root`. */
export async function unpackImage(folder: string, root: string) {
  const name = must((await readdir(folder)).find((one) => one.endsWith(".oci.tar")));
  const entries = await unpackTar(await Bun.file(join(folder, name)).bytes());
  const files = new Map(entries.map(({ header, data }) => [header.name, must(data)]));
  const parse = (data: Uint8Array) => JSON.parse(new TextDecoder().decode(data));
  const blob = ({ digest, size }: Descriptor): Uint8Array => {
    const data = must(files.get(`blobs/${digest.replace(":", "/")}`));
    if (digestOf(data) !== digest || data.length !== size) throw new Error(`${digest} is another blob.`);
    return data;
  };
  const [image] = parse(must(files.get("index.json"))).manifests;
  const manifest = parse(blob(image));
  const { config, rootfs } = parse(blob(manifest.config));
  for (const [index, layer] of (manifest.layers as Descriptor[]).entries()) {
    const tar = await Bun.zstdDecompress(blob(layer) as Uint8Array<ArrayBuffer>);
    if (digestOf(tar) !== rootfs.diff_ids[index]) throw new Error(`Layer ${index} has another diff_id.`);
    const path = join(root, `layer-${index}`);
    await Bun.write(path, tar);
    const { code, errors } = await run([
      "tar",
      "--extract",
      "--preserve-permissions",
      "-f",
      path,
      "-C",
      root,
    ]);
    if (code !== 0) throw new Error(errors);
    await Bun.file(path).delete();
  }
  return { config: config as ImageConfig, platform: image.platform };
}
