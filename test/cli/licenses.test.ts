/** The licenses of what the executable contains: every package of the bundle has its text. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { bundledFiles, licensesFile, packageFolders, renderLicenses } from "../../cli/build/licenses.ts";
import { program } from "../support/harness.ts";
import { repositoryRoot } from "../support/repository.ts";

const root = repositoryRoot;

test("every package with code in the bundle is listed, with the text of its license", async () => {
  const text = await Bun.file(licensesFile).text();
  const folders = [...packageFolders(await bundledFiles()).keys()];
  expect(folders.length).toBeGreaterThan(20);
  for (const folder of folders) {
    const { name, version } = await Bun.file(join(root, folder, "package.json")).json();
    const [, section = ""] = text.split(`\n## ${name} ${version}\n\n`);
    expect([name, version, /^(```text\n|Same text as )/.test(section)]).toEqual([name, version, true]);
    expect([name, text.includes(`| ${name} | ${version} | `)]).toEqual([name, true]);
  }
});

test("the file is what a build makes of the bundle", async () => {
  expect(await Bun.file(licensesFile).text()).toBe(await renderLicenses());
});

test("svc licenses prints them, and Bun's own, and where the source code of MPL-2.0 packages is", async () => {
  const { code, output, errors } = await program(["licenses"]);
  expect([code, errors, output]).toEqual([0, "", await Bun.file(licensesFile).text()]);
  expect(output).toContain(`\n## Bun ${Bun.version}\n`);
  expect(output).toContain("JavaScriptCore");
  expect(output).toContain("| mediabunny | 1.61.0 | MPL-2.0 | `https://github.com/Vanilagy/mediabunny` |");
  expect(output).toContain("Mozilla Public License Version 2.0");
});
