/**
 * Writes the licenses of everything that the bundler includes, which `svc licenses` prints: `bun
 * cli/build/licenses.ts`, also run by each build.
 */
import { readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";

const root = join(import.meta.dir, "../..");
export const licensesFile = join(import.meta.dir, "third-party-licenses.md");

interface Package {
  name: string;
  version: string;
  license: string;
  source: string;
  author: string | null;
  texts: string[];
}

interface Manifest {
  name: string;
  version: string;
  license: string;
  repository?: string | { url: string };
  author?: string | { name: string };
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/** Returns the paths of the bundled files, relative to the root of the repository. */
export async function bundledFiles(): Promise<string[]> {
  const { metafile } = await Bun.build({
    entrypoints: [join(root, "cli/main.ts")],
    root,
    target: "bun",
    format: "esm",
    splitting: true,
    metafile: true,
  });
  return Object.keys((metafile as unknown as { inputs: object }).inputs);
}

/**
 * Maps the folder of each bundled package (`…/node_modules/@scope/name`) to its bundled files.
 */
export function packageFolders(files: readonly string[]): Map<string, string[]> {
  const filesByFolder = new Map<string, string[]>();
  for (const file of files) {
    const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
    if (folder) filesByFolder.set(folder, [...(filesByFolder.get(folder) ?? []), file]);
  }
  return filesByFolder;
}

/** Packages that are published as one file, with the code of their dependencies in it. */
const withDependencies = /node_modules\/@google\/model-viewer$/;

/** The folder, and those of the packages whose code is in its files. Types and server parts are not. */
async function containedFolders(folder: string): Promise<string[]> {
  const manifest: Manifest = await Bun.file(join(root, folder, "package.json")).json();
  const names = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  const place = await realpath(join(root, folder));
  const folders = names
    .filter((name) => !/^@types\/|^@lit-labs\/ssr-/.test(name))
    .map((name) => relative(root, dirname(Bun.resolveSync(`${name}/package.json`, place))));
  return [folder, ...(await Promise.all(folders.map(containedFolders))).flat()];
}

/** Renders the licenses as Markdown. */
export async function renderLicenses(): Promise<string> {
  const folders = packageFolders(await bundledFiles());
  const inside = await Promise.all(
    [...folders.keys()].filter((folder) => withDependencies.test(folder)).map(containedFolders),
  );
  for (const folder of inside.flat()) if (!folders.has(folder)) folders.set(folder, []);
  const read = await Promise.all([...folders].map(([folder, files]) => readPackage(folder, files)));
  // The order of the bundle differs from build to build.
  const packages = read
    .toSorted((a, b) => Bun.semver.order(a.version, b.version))
    .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const all = [await readBun(), ...packages.map((one) => withText(one, packages))];
  const printed = new Map<string, string>();
  return `# Licenses

The executable of svc contains Bun and the packages below, each under its own license. \`svc licenses\` prints this text.

| Package | Version | License | Source code |
|---|---|---|---|
${all.map(({ name, version, license, source }) => `| ${name} | ${version} | ${license} | \`${source}\` |`).join("\n")}

svc itself is licensed under Apache-2.0. Packages under MPL-2.0 (${namesOf(all, "MPL-2.0")}) are included unmodified; their source code is at the URL in the table, under the tag of the version.

${all.map(({ name, version, texts }) => `## ${name} ${version}\n\n${texts.map((text) => printText(text, `${name} ${version}`, printed)).join("\n\n")}`).join("\n\n")}
`;
}

const namesOf = (packages: Package[], license: string): string =>
  packages
    .filter((pkg) => pkg.license === license)
    .map(({ name }) => name)
    .join(", ");

/** Prints a license text, or a reference to the package above that has the same text. */
function printText(text: string, owner: string, printed: Map<string, string>): string {
  const words = text.replace(/\s+/g, " ").trim();
  const first = printed.get(words);
  if (first !== undefined) return `Same text as ${first}, above.`;
  printed.set(words, owner);
  return `\`\`\`text\n${text.trim().replaceAll("```", "'''")}\n\`\`\``;
}

async function readPackage(folder: string, files: string[]): Promise<Package> {
  const manifest: Manifest = await Bun.file(join(root, folder, "package.json")).json();
  const { name, version, license } = manifest;
  const texts = await Promise.all(
    (await licenseFiles(folder, files)).map((path) => Bun.file(join(root, path)).text()),
  );
  // The Apache license has the same text in every package, so the copy of svc stands in for a missing one.
  if (texts.length === 0 && license === "Apache-2.0")
    texts.push(await Bun.file(join(root, "LICENSE")).text());
  const { author } = manifest;
  const authorName = typeof author === "string" ? author : (author?.name ?? null);
  return { name, version, license, source: sourceOf(manifest), author: authorName, texts };
}

/** A package that leaves its license text out has that of another one of its author, under the same license. */
function withText(one: Package, all: readonly Package[]): Package {
  if (one.texts.length > 0) return one;
  const { name, version, license, author } = one;
  const other = all.find((pkg) => pkg.texts.length > 0 && pkg.license === license && pkg.author === author);
  if (!other || author === null)
    throw new Error(`${name} ${version} (${license}) is bundled, but its package has no license text.`);
  return { ...one, texts: other.texts };
}

/** Returns the license files of the package, and those next to bundled files, for code they embed. */
async function licenseFiles(folder: string, files: string[]): Promise<string[]> {
  const paths: string[] = [];
  for (const directory of new Set([folder, ...files.map((file) => dirname(file)).toSorted()])) {
    for (const name of (await readdir(join(root, directory))).toSorted()) {
      const ofFile = /^(.+)\.LICENSE\.txt$/.exec(name)?.[1];
      if (
        ofFile ? files.some((file) => basename(file) === ofFile) : /^(licen[cs]e|copying|notice)/i.test(name)
      )
        paths.push(join(directory, name));
    }
  }
  return paths;
}

/** Returns the GitHub URL of a package from any notation that npm allows in `repository`. */
function sourceOf({ name, repository = "" }: Manifest): string {
  const url = typeof repository === "string" ? repository : repository.url;
  const [, path] = /^(?:.*github\.com[/:]|github:)?([\w.-]+\/[\w.-]+?)(?:\.git)?$/.exec(url) ?? [];
  if (!path) throw new Error(`${name} has no GitHub repository in its package.json: ${url}`);
  return `https://github.com/${path}`;
}

/**
 * The license of Bun. The text is in the package of its types, because the package of the executable has
 * none. It includes the licenses of the libraries that Bun contains.
 */
async function readBun(): Promise<Package> {
  const types = dirname(
    Bun.resolveSync("bun-types/package.json", await realpath(join(root, "node_modules/@types/bun"))),
  );
  const { version } = (await Bun.file(join(types, "package.json")).json()) as Manifest;
  if (version !== Bun.version)
    throw new Error(
      `bun-types has the license of Bun ${version}, but this is Bun ${Bun.version}. Update @types/bun.`,
    );
  const page = await Bun.file(join(types, "docs/project/license.mdx")).text();
  const text = page.replace(/^---\n[\s\S]*?\n---\n/, "");
  return {
    name: "Bun",
    author: null,
    version,
    license: "MIT, with LGPL-2.0 parts",
    source: "https://github.com/oven-sh/bun",
    texts: [text],
  };
}

/** Writes the file if its text has changed. */
export async function writeLicenses(): Promise<void> {
  const text = await renderLicenses();
  if (
    (await Bun.file(licensesFile)
      .text()
      .catch(() => "")) !== text
  )
    await Bun.write(licensesFile, text);
}

if (import.meta.main) await writeLicenses();
