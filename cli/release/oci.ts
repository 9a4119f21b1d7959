/**
 * The container image, as a tar of an OCI image layout: Docker, Podman, and containerd load it. It has the
 * executable, the C library that it needs, and nothing else: no shell, and no package manager.
 */

import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { packTar, type TarEntry } from "modern-tar";
import { description, version } from "../../src/core/version.ts";
import { UsageError } from "../command-errors.ts";
import { type Packing, zstd } from "./compression.ts";
import { architectures, type Platform } from "./platform.ts";
import { sha256Of } from "./sums.ts";
import { tarFile, tarFolder } from "./tar-entries.ts";

export const imageName = ({ name }: Platform): string => `svc-${version}-${name}.oci.tar`;

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
  const trees = [await systemEntries(program, mtime), [tarFile("usr/bin/svc", executable, mtime, 0o755)]];
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
        User: `${imageUser}:${imageUser}`,
        ExposedPorts: { "8787/tcp": {} },
        // Without USER, svc would ask the program `id`.
        Env: ["PATH=/usr/bin", "USER=svc", "HOME=/data", "SVC_DATA_DIR=/data", "SVC_HOST=0.0.0.0"],
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
    tarFile(`blobs/${digest.replace(":", "/")}`, data, mtime),
  );
  return packTar([
    tarFile("oci-layout", json({ imageLayoutVersion: "1.0.0" }), mtime),
    tarFile("index.json", index, mtime),
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

/** The user of the container, as in the documentation: with the same number, a volume keeps its owner. */
const imageUser = 1000;

/** The license of the libraries, where Debian and its relatives have it. */
const librariesLicense = "/usr/share/doc/libc6/copyright";

/** The libraries of the executable, names of its users, and the folders that it writes to. */
async function systemEntries(program: string, mtime: Date): Promise<TarEntry[]> {
  const libraries = librariesOf(program);
  const licenses = existsSync(librariesLicense) ? [librariesLicense] : [];
  const folders = new Set([...libraries, ...licenses].flatMap((path) => foldersAbove(path)));
  const users = `root:x:0:0::/root:/sbin/nologin\nsvc:x:${imageUser}:${imageUser}::/data:/sbin/nologin\n`;
  return [
    ...[...new Set(["etc", "usr", "usr/bin", ...folders])].map((name) => tarFolder(name, mtime)),
    tarFolder("tmp", mtime, { mode: 0o1777 }),
    tarFolder("data", mtime, { uid: imageUser, gid: imageUser }),
    tarFile("etc/passwd", Buffer.from(users), mtime),
    tarFile("etc/group", Buffer.from(`root:x:0:\nsvc:x:${imageUser}:\n`), mtime),
    tarFile("etc/nsswitch.conf", Buffer.from("hosts: files dns\n"), mtime),
    ...(await Promise.all(
      [...libraries, ...licenses].map(async (path) =>
        tarFile(
          path.slice(1),
          await Bun.file(path).bytes(),
          mtime,
          path === librariesLicense ? 0o644 : 0o755,
        ),
      ),
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
