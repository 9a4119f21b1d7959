/**
 * Packages that few deployments or files need, compressed and without bytecode: with it they take 9 MB of the
 * executable, and 1 MB like this. A process that loads one pays for that once: 25 ms of CPU more for fonts,
 * 50 for the SDK of buckets. What a start, a page or a usual upload loads is not among them.
 */
import { join } from "node:path";
import type { BunPlugin } from "bun";

/** Names that svc imports, by package; packages of a group share modules. */
const groups: Record<string, Record<string, readonly string[]>> = {
  fonts: { fontkit: ["create"] },
  media: { "music-metadata": ["parseBlob"] },
  containers: {
    mediabunny: [
      ...["ADTS", "CustomSource", "EncodedPacketSink", "FLAC", "Input", "MATROSKA", "MP3", "MP4", "MPEG_TS"],
      ...["OGG", "QTFF", "WAVE", "WEBM"],
    ],
  },
  tables: { hyparquet: ["parquetMetadataAsync", "parquetReadObjects", "parquetSchema"] },
  mail: { nodemailer: ["createTransport"] },
  signIn: {
    "openid-client": [
      ...["allowInsecureRequests", "authorizationCodeGrant", "buildAuthorizationUrl", "buildEndSessionUrl"],
      ...["calculatePKCECodeChallenge", "Configuration", "discovery", "enableNonRepudiationChecks"],
      ...["fetchUserInfo", "None", "randomNonce", "randomPKCECodeVerifier", "randomState"],
      ...["refreshTokenGrant"],
    ],
  },
  prices: { "@pydantic/genai-prices": ["calcPrice"] },
  encodings: { chardet: ["analyse"] },
  archives: { "modern-tar": ["createTarDecoder", "createTarPacker"] },
  toml: { "@decimalturn/toml-patch": ["parse", "patch", "stringify", "TomlFormat"] },
  buckets: {
    "@aws-sdk/client-s3": [
      ...["AbortMultipartUploadCommand", "CompleteMultipartUploadCommand", "CreateMultipartUploadCommand"],
      ...["DeleteObjectCommand", "HeadObjectCommand", "ListMultipartUploadsCommand", "ListObjectsV2Command"],
      ...["ListPartsCommand", "PutObjectCommand", "S3Client", "UploadPartCommand", "UploadPartCopyCommand"],
    ],
    "@smithy/core/protocols": ["buildQueryString", "HttpRequest", "HttpResponse"],
    "@smithy/core/retry": ["isThrottlingError", "isTransientError", "StandardRetryStrategy"],
    "@smithy/signature-v4": ["SignatureV4"],
  },
};

/** Packages that read the names of their classes: of commands, and of errors. */
const withNamedClasses = ["@aws-sdk/client-s3", "openid-client"];

const loader = join(import.meta.dir, "../load-packed.ts");

/** By group: a release builds several executables, and mediabunny complains of being loaded twice. */
const bundles = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

/** @param folder where the compressed packages are, until the executable is built */
export async function rarePackages(folder: string): Promise<BunPlugin> {
  const paths = new Map<string, string>();
  for (const [group, packages] of Object.entries(groups)) {
    // Not beside the entry: the bundler remembers what was in a folder when it read that.
    const path = join(folder, "packed", `${group}.js.zst`);
    const entry = join(folder, `${group}.js`);
    const bundled = bundles.get(group) ?? bundle(entry, packages);
    bundles.set(group, bundled);
    await Bun.write(path, Bun.zstdCompressSync(await bundled, { level: 19 }));
    for (const name of Object.keys(packages)) paths.set(name, path);
  }
  return {
    name: "rare packages, compressed",
    setup(build) {
      const names = Object.assign({}, ...Object.values(groups)) as Record<string, readonly string[]>;
      build.onResolve({ filter: /^[@a-z]/ }, ({ path, importer }) =>
        paths.has(path) && !importer.includes("node_modules") ? { path, namespace: "packed" } : undefined,
      );
      build.onLoad({ filter: /.*/, namespace: "packed" }, ({ path }) => ({
        loader: "js",
        contents: `
          import file from ${JSON.stringify(paths.get(path))} with { type: "file" };
          import { loadPacked } from ${JSON.stringify(loader)};
          export const { ${names[path]} } = await loadPacked(file);`,
      }));
    },
  };
}

/**
 * One module with what svc uses of the packages. Throws if that cannot be loaded from elsewhere, as of a
 * package whose modules find each other at run time.
 */
async function bundle(
  entry: string,
  packages: Record<string, readonly string[]>,
): Promise<Uint8Array<ArrayBuffer>> {
  const lines = Object.entries(packages).map(
    ([name, names]) => `export { ${names} } from ${JSON.stringify(Bun.resolveSync(name, import.meta.dir))};`,
  );
  await Bun.write(entry, lines.join("\n"));
  const identifiers = !withNamedClasses.some((name) => name in packages);
  const minify = { whitespace: true, syntax: true, identifiers };
  const { outputs } = await Bun.build({ entrypoints: [entry], target: "bun", format: "esm", minify });
  const bytes = new Uint8Array(await (outputs[0] as Blob).arrayBuffer());
  await Bun.write(entry, bytes);
  const module = await import(entry);
  const missing = Object.values(packages)
    .flat()
    .filter((name) => !(name in module));
  if (missing.length > 0) throw new Error(`${entry} lacks ${missing.join(", ")}`);
  return bytes;
}
