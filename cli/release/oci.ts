/**
 * The container image, as a tar of an OCI image layout: Docker, Podman, and containerd load it. It has the
 * executable, the C library that it needs, and nothing else: no shell, and no package manager.
 */
import { dirname } from "node:path";
import { packTar, type TarEntry } from "modern-tar";
import { description, version } from "../../src/core/version.ts";
import { UsageError } from "../command.ts";
import { type Packing, zstd } from "./compression.ts";
import { architectures, type Platform } from "./platform.ts";
import { sha256Of } from "./sums.ts";

export const imageName = ({ name }: Platform): string => `svc-${version}-${name}.oci.tar`;

/** The user of the container, as in the documentation: with the same number, a volume keeps its owner. */
const user = 1000;

const mediaType = (name: string): string => `application/vnd.oci.image.${name}`;

interface Blob {
  mediaType: string;
  digest: string;
  size: number;
  data: Uint8Array;
}

const blobOf = (name: string, data: Uint8Array): Blob => ({
  mediaType: mediaType(name),
  digest: `sha256:${sha256Of(data)}`,
  size: data.length,
  data,
});

const json = (value: object): Uint8Array => Buffer.from(JSON.stringify(value));

/**
 * @param program the executable as a file of this machine: its C library is copied from here
 * @throws UsageError if this machine cannot run the executable
 */
export async function imageArchive(
  program: string,
  platform: Platform,
  mcpName: string,
  packing: Packing & { mtime: Date },
): Promise<Uint8Array> {
  const { mtime } = packing;
  const executable = await Bun.file(program).bytes();
  const trees = [await systemEntries(program, mtime), [file("usr/bin/svc", executable, mtime, 0o755)]];
  const tars = await Promise.all(trees.map((entries) => packTar(entries)));
  const layers = await Promise.all(
    tars.map(async (tar) => blobOf("layer.v1.tar+zstd", await zstd(tar, packing))),
  );
  const created = mtime.toISOString();
  const { deb: architecture } = architectures[platform.cpu];
  const config = blobOf(
    "config.v1+json",
    json({
      created,
      architecture,
      os: "linux",
      config: {
        User: `${user}:${user}`,
        ExposedPorts: { "8787/tcp": {} },
        Env: ["PATH=/usr/bin", "HOME=/data", "SVC_DATA_DIR=/data", "SVC_HOST=0.0.0.0"],
        Entrypoint: ["svc"],
        Cmd: ["serve"],
        Volumes: { "/data": {} },
        WorkingDir: "/data",
        Labels: labels(mcpName),
        StopSignal: "SIGTERM",
      },
      rootfs: { type: "layers", diff_ids: tars.map((tar) => `sha256:${sha256Of(tar)}`) },
      history: ["C library and user", "svc"].map((created_by) => ({ created, created_by })),
    }),
  );
  const described = ({ data: _, ...descriptor }: Blob) => descriptor;
  const manifest = blobOf(
    "manifest.v1+json",
    json({
      schemaVersion: 2,
      mediaType: mediaType("manifest.v1+json"),
      config: described(config),
      layers: layers.map(described),
    }),
  );
  const index = json({
    schemaVersion: 2,
    mediaType: mediaType("index.v1+json"),
    manifests: [
      {
        ...described(manifest),
        platform: { architecture, os: "linux" },
        annotations: {
          "org.opencontainers.image.ref.name": version,
          "io.containerd.image.name": `svc:${version}`,
        },
      },
    ],
  });
  const blobs = [config, manifest, ...layers].map(({ digest, data }) =>
    file(`blobs/${digest.replace(":", "/")}`, data, mtime),
  );
  return packTar([
    file("oci-layout", json({ imageLayoutVersion: "1.0.0" }), mtime),
    file("index.json", index, mtime),
    ...blobs,
  ]);
}

const labels = (mcpName: string): Record<string, string> => ({
  "org.opencontainers.image.title": "svc",
  "org.opencontainers.image.description": description,
  "org.opencontainers.image.version": version,
  "org.opencontainers.image.licenses": "Apache-2.0",
  "io.modelcontextprotocol.server.name": mcpName,
});

/** The libraries of the executable, names of its users, and the folders that it writes to. */
async function systemEntries(program: string, mtime: Date): Promise<TarEntry[]> {
  const libraries = librariesOf(program);
  const libraryFolders = new Set(libraries.flatMap((path) => foldersAbove(path)));
  const users = `root:x:0:0::/root:/sbin/nologin\nsvc:x:${user}:${user}::/data:/sbin/nologin\n`;
  return [
    ...["etc", "usr", "usr/bin", ...libraryFolders].map((name) => folder(name, mtime)),
    folder("tmp", mtime, { mode: 0o1777 }),
    folder("data", mtime, { uid: user, gid: user }),
    file("etc/passwd", Buffer.from(users), mtime),
    file("etc/group", Buffer.from(`root:x:0:\nsvc:x:${user}:\n`), mtime),
    file("etc/nsswitch.conf", Buffer.from("hosts: files dns\n"), mtime),
    ...(await Promise.all(
      libraries.map(async (path) => file(path.slice(1), await Bun.file(path).bytes(), mtime, 0o755)),
    )),
  ];
}

function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === "/" ? [] : [...foldersAbove(above), above.slice(1)];
}

/** The paths of the dynamic loader and the libraries, as `ldd` prints them. */
function librariesOf(program: string): string[] {
  if (!Bun.which("ldd")) throw new UsageError("Images are made where ldd is: on Linux.");
  const { stdout } = Bun.spawnSync(["ldd", program]);
  const paths = [...stdout.toString().matchAll(/(?:=> |^\s*)(\/\S+) \(0x/gm)].map(
    ([, path]) => path as string,
  );
  if (paths.length === 0) throw new UsageError("Images are made on a machine that can run their executable.");
  return paths;
}

const file = (name: string, body: Uint8Array, mtime: Date, mode = 0o644): TarEntry => ({
  header: { name, type: "file", size: body.length, mode, mtime, uid: 0, gid: 0 },
  body,
});

const folder = (name: string, mtime: Date, owner: Partial<TarEntry["header"]> = {}): TarEntry => ({
  header: { name: `${name}/`, type: "directory", size: 0, mode: 0o755, mtime, uid: 0, gid: 0, ...owner },
});
