/** The RPM package, version 4 of the format: lead, signature, header, and a compressed `cpio` archive. */
import { basename, dirname } from "node:path";
import { description, version } from "../../src/core/version.ts";
import { compressForSystem, type Packing } from "./compression.ts";
import { architectures, type Platform } from "./platform.ts";
import { rpmHeader, type Tags, words } from "./rpm-header.ts";
import { sha256Of } from "./sums.ts";
import { type SystemFile, systemFiles, systemScripts } from "./system-files.ts";

export const rpmName = ({ cpu }: Platform): string => `svc-${version}-1.${architectures[cpu].rpm}.rpm`;

/** Flags of dependencies. */
const equal = 8;
const interpreter = 0x100;
const feature = 0x0100_000a;

export async function rpmPackage(
  executable: Uint8Array,
  platform: Platform,
  packing: Packing & { mtime: Date },
): Promise<Uint8Array> {
  const files = (await systemFiles(executable)).toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const mtime = Math.floor(packing.mtime.getTime() / 1000);
  const archive = cpioArchive(files, mtime);
  const { data, format } = await compressForSystem(archive, platform.cpu, packing);
  const header = rpmHeader(63, {
    ...packageTags(platform, mtime, format === "xz" ? "xz" : "zstd"),
    ...fileTags(files, mtime),
    5092: { strings: [sha256Of(data)] },
    5093: { int32: [8] },
  });
  const body = Buffer.concat([header, data]);
  const signature = rpmHeader(62, {
    269: { string: new Bun.CryptoHasher("sha1").update(header).digest("hex") },
    273: { string: sha256Of(header) },
    1000: { int32: [body.length] },
    1004: { binary: new Bun.CryptoHasher("md5").update(body).digest() },
    1007: { int32: [archive.length] },
  });
  const padding = Buffer.alloc((8 - (signature.length % 8)) % 8);
  return Buffer.concat([lead(platform), signature, padding, body]);
}

/** What older programs read, such as `file`. */
function lead({ cpu }: Platform): Buffer {
  const data = Buffer.alloc(96);
  data.write("edabeedb0300", "hex");
  data.writeUInt16BE(architectures[cpu].rpmNumber, 8);
  data.write(`svc-${version}-1`, 10);
  data.writeUInt16BE(1, 76);
  data.writeUInt16BE(5, 78);
  return data;
}

function packageTags({ cpu }: Platform, mtime: number, compressor: "xz" | "zstd"): Tags {
  const requirements: [name: string, flags: number, version: string][] = [
    ["/bin/sh", interpreter, ""],
    ["/usr/sbin/useradd", 0, ""],
    ["libc.so.6()(64bit)", 0, ""],
    ["rpmlib(CompressedFileNames)", feature, "3.0.4-1"],
    ["rpmlib(FileDigests)", feature, "4.6.0-1"],
    ["rpmlib(PayloadFilesHavePrefix)", feature, "4.0-1"],
    compressor === "xz"
      ? ["rpmlib(PayloadIsXz)", feature, "5.2-1"]
      : ["rpmlib(PayloadIsZstd)", feature, "5.4.18-1"],
  ];
  return {
    100: { strings: ["C"] },
    1000: { string: "svc" },
    1001: { string: version },
    1002: { string: "1" },
    1004: { translated: description.replace(/\.$/, "") },
    1005: { translated: description },
    1006: { int32: [mtime] },
    1014: { string: "Apache-2.0" },
    1016: { translated: "Applications/Internet" },
    1021: { string: "linux" },
    1022: { string: architectures[cpu].rpm },
    1023: { string: systemScripts.beforeInstall },
    1024: { string: systemScripts.afterInstall },
    1025: { string: systemScripts.beforeRemove },
    1026: { string: systemScripts.afterRemove },
    1044: { string: `svc-${version}-1.src.rpm` },
    1047: { strings: ["svc"] },
    1048: { int32: requirements.map(([, flags]) => flags) },
    1049: { strings: requirements.map(([name]) => name) },
    1050: { strings: requirements.map(([, , needed]) => needed) },
    1064: { string: "4.14.0" },
    1085: { string: "/bin/sh" },
    1086: { string: "/bin/sh" },
    1087: { string: "/bin/sh" },
    1088: { string: "/bin/sh" },
    1112: { int32: [equal] },
    1113: { strings: [`${version}-1`] },
    1124: { string: "cpio" },
    1125: { string: compressor },
    1126: { string: "6" },
  };
}

const modeOf = ({ mode, content }: SystemFile): number => (content ? 0o100_000 : 0o040_000) | mode;

function fileTags(files: SystemFile[], mtime: number): Tags {
  const folders = [...new Set(files.map(({ path }) => `${dirname(path)}/`))];
  const sizes = files.map(({ content }) => content?.length ?? 4096);
  const isSettings = 1 | 16;
  return {
    1009: { int32: [sizes.reduce((sum, size) => sum + size, 0)] },
    1028: { int32: sizes },
    1030: { int16: files.map(modeOf) },
    1033: { int16: files.map(() => 0) },
    1034: { int32: files.map(() => mtime) },
    1035: { strings: files.map(({ content }) => (content ? sha256Of(content) : "")) },
    1036: { strings: files.map(() => "") },
    1037: { int32: files.map(({ isConfig }) => (isConfig ? isSettings : 0)) },
    1039: { strings: files.map(() => "root") },
    1040: { strings: files.map(({ group = "root" }) => group) },
    1045: { int32: files.map(() => -1) },
    1095: { int32: files.map(() => 1) },
    1096: { int32: files.map((_, index) => index + 1) },
    1097: { strings: files.map(() => "") },
    1116: { int32: files.map(({ path }) => folders.indexOf(`${dirname(path)}/`)) },
    1117: { strings: files.map(({ path }) => basename(path)) },
    1118: { strings: folders },
    5011: { int32: [8] },
  };
}

/** The "new ASCII" format of cpio(5). */
function cpioArchive(files: SystemFile[], mtime: number): Buffer {
  const parts: Uint8Array[] = [];
  const add = (name: string, inode: number, mode: number, content: Uint8Array): void => {
    const links = 1;
    const device = [0, 0, 0, 0];
    const numbers = [inode, mode, 0, 0, links, mtime, content.length, ...device, name.length + 1, 0];
    const head = Buffer.from(`070701${words(...numbers).toString("hex")}${name}\0`);
    parts.push(head, padded(head.length), content, padded(content.length));
  };
  for (const [index, file] of files.entries())
    add(`.${file.path}`, index + 1, modeOf(file), file.content ?? new Uint8Array());
  add("TRAILER!!!", 0, 0, new Uint8Array());
  return Buffer.concat(parts);
}

const padded = (length: number): Buffer => Buffer.alloc((4 - (length % 4)) % 4);
