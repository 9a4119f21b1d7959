/**
 * The licenses of what the executable contains: every package of the bundle has its text, in the program and
 * on its page.
 */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { bundledFiles, licensesPage, packageFolders, renderLicenses } from "../../cli/bundle-licenses.ts";
import { openApp, program } from "../support/harness.ts";
import { repositoryRoot } from "../support/repository.ts";

const root = repositoryRoot;

test("every package with code in the bundle is listed, with the text of its license", async () => {
  const page = await Bun.file(licensesPage).text();
  const folders = [...packageFolders(await bundledFiles()).keys()];
  expect(folders.length).toBeGreaterThan(20);
  for (const folder of folders) {
    const { name, version } = await Bun.file(join(root, folder, "package.json")).json();
    const [, section = ""] = page.split(`\n## ${name} ${version}\n\n`);
    expect([name, version, /^(```text\n|Same text as )/.test(section)]).toEqual([name, version, true]);
    expect([name, page.includes(`| ${name} | ${version} | `)]).toEqual([name, true]);
  }
});

test("the page is what a build makes of the bundle", async () => {
  expect(await Bun.file(licensesPage).text()).toBe(await renderLicenses());
});

test("svc licenses prints them, and Bun's own, and where the source code of MPL-2.0 packages is", async () => {
  const { code, output, errors } = await program(["licenses"]);
  expect([code, errors, output]).toEqual([0, "", await Bun.file(licensesPage).text()]);
  expect(output).toContain(`\n## Bun ${Bun.version}\n`);
  expect(output).toContain("JavaScriptCore");
  expect(output).toContain("| mediabunny | 1.61.0 | MPL-2.0 | `https://github.com/Vanilagy/mediabunny` |");
  expect(output).toContain("Mozilla Public License Version 2.0");
});

test("the site shows them, and the full text for language models lists them without their texts", async () => {
  await using app = await openApp("sqlite");
  const page = await (await app.ask("/docs/licenses", { headers: { accept: "text/html" } })).text();
  expect(page).toContain("Mozilla Public License Version 2.0");
  const full = await (await app.ask("/llms-full.txt")).text();
  expect(full).toContain("| mediabunny |");
  expect(full).not.toContain("Mozilla Public License Version 2.0");
});
