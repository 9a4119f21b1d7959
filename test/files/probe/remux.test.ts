/** Copies of videos without metadata. ffmpeg is a stub here, since it cannot be assumed on every machine. */
import { expect, test } from "bun:test";
import { bytesSource } from "../../../src/files/probe/source.ts";
import * as made from "../../support/assets/media.ts";
import { helper, open } from "../../support/assets/test-probe.ts";
import { useTemporaryFolder } from "../../support/use-temporary-folder.ts";

useTemporaryFolder();

/** The words of the stub see the last argument as `$out`. */
async function remuxed(words: string | null, mime = "video/mp4"): Promise<string | null> {
  const stub = `for word; do out=\${word#file:}; done\n${words}`;
  const probe = open({
    path: words === null ? "" : await helper("ffmpeg", stub),
    limits: { sourceMs: 1500 },
  });
  return probe.withRemuxed(bytesSource(made.mp4({ duration: 0 })), mime, (path) => Bun.file(path).text());
}

test("a stub of ffmpeg is told to copy every frame and no metadata, and its file is what remains", async () => {
  const copy = await remuxed('echo "$@" > $out');
  expect(copy).toMatch(/^-nostdin .* -protocol_whitelist file -f mov -i file:\S+ -map 0:v\? .* -c copy /);
  expect(copy).toContain(" -map_metadata -1 -map_chapters -1 ");
  expect(await remuxed("head -c 2000000 /dev/zero > $out")).toHaveLength(2_000_000);
});

test("there is no copy without ffmpeg, if its stub fails, hangs or writes nothing, and of other types", async () => {
  for (const words of [null, "exit 1", "echo x > $out; exit 1", ":", "while :; do :; done"])
    expect(await remuxed(words)).toBeNull();
  expect(await remuxed("echo x > $out", "image/png")).toBeNull();
});
