/** Thumbnails of HTML pages, by a browser that gets the files of the page and nothing else. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { chmod, cp, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { zipSync } from "fflate";
import { decodePng, type Raster } from "../../../src/files/probe/images/raster.ts";
import type { PageFiles } from "../../../src/files/probe/port.ts";
import { bytesSource } from "../../../src/files/probe/source.ts";
import { expectThumbnail, helper, isAlive, open } from "../../support/assets/test-probe.ts";
import { browserPath } from "../../support/browser/browser.ts";
import { must, until } from "../../support/harness.ts";
import { openTestServer } from "../../support/test-server.ts";
import { useTemporaryFolder } from "../../support/use-temporary-folder.ts";

useTemporaryFolder();

const types: Record<string, string> = { html: "text/html", css: "text/css", js: "text/javascript" };

/** A page of these files, which notes what is read. */
function pageOf(files: Record<string, string>): PageFiles & { reads: string[] } {
  const reads: string[] = [];
  const read = async (path: string) => {
    reads.push(path);
    const text = files[path];
    return text === undefined
      ? null
      : { bytes: Buffer.from(text), mime: must(types[must(path.split(".")[1])]) };
  };
  return { index: "index.html", read, reads };
}

/** A helper that `nobody` can run, as which a browser runs if the tests run as root. */
async function browserOf(words: string): Promise<string> {
  const path = await helper("chromium", words);
  for (const folder of [path, tmpdir()]) await chmod(folder, 0o755);
  return path;
}

/** The folder of a browser that works. The tests may run where it has no sandbox. */
async function installedBrowser(): Promise<string> {
  let path = must(browserPath);
  await chmod(path, 0o755).catch(() => {}); // one that is installed can be run
  if (!(await isOpenToAll(dirname(path)))) {
    // As in a checkout below /root.
    const copy = join(tmpdir(), "browser");
    await cp(dirname(path), copy, { recursive: true });
    await chmod(copy, 0o755);
    path = join(copy, basename(path));
  }
  return browserOf(`exec '${path}' --no-sandbox "$@"`);
}

/** Whether any user can reach what is in a folder. */
async function isOpenToAll(folder: string): Promise<boolean> {
  const isOpen = ((await stat(folder)).mode & 0o001) !== 0;
  return isOpen && (folder === dirname(folder) || isOpenToAll(dirname(folder)));
}

const machine = async () => open({ path: await installedBrowser() });

async function colorOf(webp: Uint8Array): Promise<number[]> {
  const png = await new Bun.Image(webp).resize(1, 1, { fit: "fill" }).png().bytes();
  const data = Buffer.from(png).indexOf("IDAT");
  const { inflateSync } = await import("node:zlib");
  return [...inflateSync(png.subarray(data + 4, data + 4 + Buffer.from(png).readUInt32BE(data - 4)))].slice(
    1,
    4,
  );
}

describe.skipIf(!browserPath)("a thumbnail of an SVG", () => {
  test("shows it as a page does, enlarged, and without what it names", async () => {
    const probe = await machine();
    const drawing =
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 12"><rect width="12" height="12" fill="#f00"/>' +
      '<script>document.documentElement.innerHTML = ""</script><image href="http://127.0.0.1/a.png"/></svg>';
    const source = bytesSource(Buffer.from(drawing));
    const { inspection, thumbnail } = await probe.inspectWithThumbnail(source);
    expect([inspection.width, inspection.height]).toEqual([24, 12]);
    await expectThumbnail(thumbnail, [512, 256], "webp");
    const at = ({ width, pixels }: Raster, x: number) => [
      ...pixels.subarray((9 * width + x) * 4).subarray(0, 4),
    ];
    const raster = decodePng(await new Bun.Image(must(thumbnail)).png().bytes());
    expect([at(raster, 100), at(raster, 400)]).toEqual([
      [expect.closeTo(255, -1), expect.closeTo(0, -1), expect.closeTo(0, -1), 255],
      [0, 0, 0, 0],
    ]);
    const marks = [{ n: 1, weight: "must", shape: "point", x: 7500, y: 7500 }] as const;
    const marked = must(await probe.annotatedImage(source, inspection, { t_ms: null, page: null }, marks));
    expect((await new Bun.Image(marked).metadata()).width).toBe(1024);
  });
});

describe.skipIf(!browserPath)("a thumbnail of a page", () => {
  test("shows it with its own styles and scripts, at the width of a laptop", async () => {
    const probe = await machine();
    const page = pageOf({
      "index.html": '<!doctype html><link rel="stylesheet" href="a.css"><script src="a.js"></script>',
      "a.css": "body { background: red }",
      "a.js":
        "addEventListener('load', () => innerWidth === 1280 && (document.body.style.background = 'blue'))",
    });
    const thumbnail = await probe.pageThumbnail(page);
    await expectThumbnail(thumbnail, [512, 384]);
    const [red = 255, green = 255, blue = 0] = await colorOf(must(thumbnail));
    expect([red < 40, green < 40, blue > 200]).toEqual([true, true, true]);
    expect(page.reads).toEqual(["index.html", "a.css", "a.js"]);
    expect(probe.logged).toEqual([]);
  });

  test("reaches no server and no file of the machine", async () => {
    let connections = 0;
    const canary = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => canary.listen(0, "127.0.0.1", resolve));
    const { port } = canary.address() as { port: number };
    const secret = join(tmpdir(), "secret.html");
    await Bun.write(secret, "<body style='background: red'>");
    const host = `127.0.0.1:${port}`;
    const hostile = `<!doctype html><body style="background: blue"><img src="http://${host}/i">
      <link rel="preconnect" href="http://${host}"><iframe src="file://${secret}"></iframe>
      <iframe src="http://${host}/f"></iframe><script>
      fetch("http://${host}/"); navigator.sendBeacon("http://${host}/b"); new WebSocket("ws://${host}/");
      new EventSource("http://localhost:${port}/e");
      new Worker(URL.createObjectURL(new Blob(["fetch('http://${host}/w')"])));
      new RTCPeerConnection({ iceServers: [{ urls: "stun:${host}" }] }).createDataChannel("x");
      open("file://${secret}"); location = "file://${secret}"; location = "http://${host}/n";</script>`;
    const page = pageOf({ "index.html": hostile });
    const thumbnail = await (await machine()).pageThumbnail(page);
    // The page itself, or the empty one of a refused navigation.
    const [red = 255, green = 0, blue = 0] = await colorOf(must(thumbnail));
    const isSecret = red > 200 && green < 60 && blue < 60;
    expect([isSecret, connections, page.reads]).toEqual([false, 0, ["index.html"]]);
    canary.close();
  });
});

describe("a browser", () => {
  const page = pageOf({ "index.html": "<h1>Hi" });

  test("that is not installed, prints garbage, or ends makes no thumbnail", async () => {
    expect(await open().pageThumbnail(page)).toBeNull();
    for (const words of [
      "exit 1",
      "echo no message >&4; cat <&3 >/dev/null",
      "printf 'x\\0' >&4",
      "kill -9 $$",
    ])
      expect(
        await open({ path: await browserOf(words), limits: { sourceMs: 1500 } }).pageThumbnail(page),
      ).toBeNull();
  });

  test("that hangs is ended with what it started", async () => {
    const output = join(tmpdir(), "hanging");
    await Bun.write(output, "");
    await chmod(output, 0o666);
    const path = await browserOf(`echo $$ > '${output}'; cat <&3 >/dev/null; sleep 600`);
    const probe = open({ path, limits: { sourceMs: 1500 } });
    expect(await probe.pageThumbnail(page)).toBeNull();
    const pid = Number(readFileSync(output, "utf8"));
    expect(pid).toBeGreaterThan(0);
    await until(async () => !isAlive(pid), "it is gone");
    expect(probe.logged.map(({ fields }) => fields.reason)).toEqual(["exceeded its total time limit"]);
  });

  test("gets no environment but its folder, no network, and no profile of the machine", async () => {
    const output = join(tmpdir(), "words");
    await Bun.write(output, "");
    await chmod(output, 0o666);
    const path = await browserOf(`for word; do echo "$word"; done > '${output}'; env >> '${output}'`);
    await open({ path }).pageThumbnail(page);
    const words = readFileSync(output, "utf8").trim().split("\n");
    expect(words).toContain("--host-resolver-rules=MAP * ~NOTFOUND");
    expect(words).toContain("--proxy-server=http://127.0.0.1:1");
    expect(words).not.toContain("--no-sandbox");
    const folder = must(/^HOME=(.*)$/m.exec(words.join("\n")))[1];
    expect(words).toContain(`--user-data-dir=${folder}/profile`);
    const names = words.filter((word) => /^[A-Z_]+=/.test(word)).map((word) => must(word.split("=", 1)[0]));
    expect(names.filter((name) => !["PWD", "OLDPWD", "SHLVL", "_"].includes(name)).toSorted()).toEqual([
      ...["HOME", "PATH", "TMPDIR"],
    ]);
  });
});

test.skipIf(!browserPath)(
  "an uploaded page or bundle has a thumbnail where a browser is installed",
  async () => {
    const path = await installedBrowser();
    await using server = await openTestServer("sqlite", "disk", { PATH: `${path}:${process.env.PATH}` });
    const page = "<!doctype html>\n<link rel='stylesheet' href='style/a.css'>\n<h1>Report</h1>\n";
    const bundle = zipSync({
      "report/index.html": Buffer.from(page),
      "report/style/a.css": Buffer.from("body { background: blue }"),
    });
    const { id: bundleId } = await server.upload("report.zip", bundle);
    const { id: pageId } = await server.upload("report.html", page);
    for (const [id, isBlue] of [
      [bundleId, true],
      [pageId, false],
    ] as const) {
      const { thumb_url } = await server.api<{ thumb_url: string | null }>("GET", `/assets/${id}`);
      const [red = 0, , blue = 0] = await colorOf(await (await fetch(must(thumb_url))).bytes());
      expect([red < 60, blue > 200]).toEqual([isBlue, true]);
    }
  },
);
