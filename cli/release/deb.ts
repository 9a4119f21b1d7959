/** The Debian package, as deb(5) describes it: an `ar` archive of a version, control files, and files. */
import { dirname } from "node:path";
import { packTar, type TarEntry } from "modern-tar";
import { description, version } from "../../src/core/version.ts";
import { compressForSystem, type Packing } from "./compression.ts";
import { architectures, type Platform } from "./platform.ts";
import { type SystemFile, systemFiles, systemScripts } from "./system-files.ts";

export const debName = ({ cpu }: Platform): string => `svc_${version}_${architectures[cpu].deb}.deb`;

export async function debPackage(
  executable: Uint8Array,
  platform: Platform,
  packing: Packing & { mtime: Date },
): Promise<Uint8Array> {
  const files = await systemFiles(executable);
  const entries = withFolders(files).map((file) => tarEntry(file, packing.mtime));
  const { data, format } = await compressForSystem(await packTar(entries), platform.cpu, packing);
  return arArchive(
    [
      ["debian-binary", new TextEncoder().encode("2.0\n")],
      ["control.tar.gz", Bun.gzipSync(await controlFiles(files, platform, packing.mtime))],
      [`data.tar.${format}`, data],
    ],
    packing.mtime,
  );
}

async function controlFiles(files: SystemFile[], platform: Platform, mtime: Date) {
  const bytes = files.reduce((sum, { content }) => sum + (content?.length ?? 0), 0);
  const control = `Package: svc
Version: ${version}
Architecture: ${architectures[platform.cpu].deb}
Maintainer: The svc maintainers <svc@localhost>
Installed-Size: ${Math.ceil(bytes / 1024)}
Pre-Depends: passwd
Depends: libc6
Suggests: ffmpeg, poppler-utils, chromium
Section: devel
Priority: optional
Description: ${description.replace(/\.$/, "")}
`;
  const texts: Record<string, string> = {
    control,
    conffiles: files.flatMap(({ path, isConfig }) => (isConfig ? [`${path}\n`] : [])).join(""),
    md5sums: files
      .flatMap(({ path, content, isConfig }) => (content && !isConfig ? [sumLine(path, content)] : []))
      .join(""),
    preinst: script(systemScripts.beforeInstall),
    postinst: script(systemScripts.afterInstall),
    prerm: script(systemScripts.beforeRemove),
    postrm: script(systemScripts.afterRemove),
  };
  return packTar(
    Object.entries(texts).map(([name, text]) =>
      tarEntry(
        { path: `/${name}`, mode: text.startsWith("#!") ? 0o755 : 0o644, content: Buffer.from(text) },
        mtime,
      ),
    ),
  );
}

const script = (text: string): string => `#!/bin/sh\n${text}`;

/** The sums of dpkg, which tell damaged files, are MD5. */
const sumLine = (path: string, content: Uint8Array): string =>
  `${new Bun.CryptoHasher("md5").update(content).digest("hex")}  ${path.slice(1)}\n`;

/** dpkg unpacks no file into a folder that the archive lacks. */
function withFolders(files: SystemFile[]): SystemFile[] {
  const known = new Map<string, SystemFile>();
  const addParents = (path: string): void => {
    if (path === "/" || known.has(path)) return;
    addParents(dirname(path));
    known.set(path, { path, mode: 0o755 });
  };
  for (const file of files) {
    addParents(dirname(file.path));
    known.set(file.path, file);
  }
  return [...known.values()];
}

export function tarEntry({ path, mode, content, group = "root" }: SystemFile, mtime: Date): TarEntry {
  const name = `.${path}${content ? "" : "/"}`;
  const owner = { uid: 0, gid: 0, uname: "root", gname: group };
  const type = content ? "file" : "directory";
  return { header: { name, mode, mtime, size: content?.length ?? 0, type, ...owner }, body: content };
}

/** The common format of ar(5). */
function arArchive(members: [string, Uint8Array][], mtime: Date): Uint8Array {
  const seconds = `${Math.floor(mtime.getTime() / 1000)}`;
  const parts: Uint8Array[] = [Buffer.from("!<arch>\n")];
  for (const [name, data] of members) {
    const fields = [name.padEnd(16), seconds.padEnd(12), "0".padEnd(6), "0".padEnd(6), "100644".padEnd(8)];
    parts.push(Buffer.from(`${fields.join("")}${`${data.length}`.padEnd(10)}\`\n`), data);
    if (data.length % 2 === 1) parts.push(Buffer.from("\n"));
  }
  return Buffer.concat(parts);
}
