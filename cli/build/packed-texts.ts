/**
 * Texts that few processes read, compressed: the documentation, and the scripts and styles of pages. In a
 * module the executable would have them twice, as text and in its bytecode.
 */
import { join } from "node:path";
import type { BunPlugin } from "bun";
import { explorerHtml } from "../../src/api/http/swagger-ui/explorer-html.ts";
import { siteTexts } from "../../src/web/site-texts.ts";

const root = join(import.meta.dir, "../..");
const level = 19;
const loader = JSON.stringify(join(root, "cli/load-packed.ts"));

/**
 * Writes a text to a compressed file, and returns a module that reads it. To be called before the bundler
 * starts: it remembers what was in a folder when it read that.
 * @param expression what the module exports, made of `packed`
 */
export async function packedModule(
  folder: string,
  name: string,
  text: string,
  expression: string,
): Promise<string> {
  const path = join(folder, "packed", `${name}.zst`);
  await Bun.write(path, Bun.zstdCompressSync(text, { level }));
  return `
    import file from ${JSON.stringify(path)} with { type: "file" };
    import { packedText } from ${loader};
    const packed = packedText(file);
    ${expression}`;
}

/** @param folder where the compressed texts are, until the executable is built */
export async function packedTexts(folder: string): Promise<BunPlugin> {
  const modules = new Map<string, string>();
  for (const file of ["CHANGELOG.md", ...new Bun.Glob("src/api/**/*.md").scanSync(root)]) {
    const path = join(root, file);
    const name = file.replaceAll(/[/\\]/g, "-");
    modules.set(
      path,
      await packedModule(folder, name, await Bun.file(path).text(), "export default packed;"),
    );
  }
  modules.set(
    join(root, "src/web/site-texts.ts"),
    await packedModule(
      folder,
      "site-texts.json",
      JSON.stringify(siteTexts),
      "export const siteTexts = JSON.parse(packed);",
    ),
  );
  modules.set(
    join(root, "src/api/http/swagger-ui/explorer-html.ts"),
    await packedModule(
      folder,
      "explorer.html",
      await explorerHtml(),
      "export const explorerHtml = async () => packed;",
    ),
  );
  return {
    name: "texts, compressed",
    setup(build) {
      build.onLoad({ filter: /\.md$|\/site-texts\.ts$|\/explorer-html\.ts$/ }, ({ path }) => {
        const contents = modules.get(path);
        return contents === undefined ? undefined : { contents, loader: "js" };
      });
    },
  };
}
