/** The name under which a file is downloaded. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isKey } from "../../../src/files/stores/keys.ts";
import { must } from "../../support/harness.ts";
import { type Library, openLibrary } from "../../support/library.ts";

/** File names that a hostile client could send. */
const names = [
  ...[
    "a\r\nSet-Cookie: x=y.png",
    "a\nb.png",
    "a\rb.png",
    "a\0.png",
    "a\0.exe\0.png",
    "\0",
    "a\u0001\u001f.png",
    "\u001b[31mred\u001b[0m.png",
  ],
  ...[
    "\u001b]52;c;ZWNobyBoaQ==\u0007.png",
    "\u009b31m.png",
    "a\u0008\u0008.png",
    "a\u007f.png",
    "a\u0085b.png",
    "a\u2028b\u2029c.png",
  ],
  ...[
    "photo\u202egnp.exe",
    "\u202dabc\u202c.png",
    "\u2066a\u2069.png",
    "\u200e\u200f.png",
    "a\u200bb.png",
    "\ufeffa.png",
    "a\u00adb.png",
  ],
  ...[
    "\u{e0041}\u{e0042}.png",
    "a\u061cb.png",
    "x".repeat(300),
    `${"x".repeat(65_536)}.png`,
    "é".repeat(500),
    "👩‍👩‍👧‍👦".repeat(60),
    "\u0301".repeat(400),
  ],
  ...[
    "CON",
    "con.png",
    "nul",
    "AUX.txt",
    "COM1",
    "lpt9.png",
    "NUL.tar.gz",
    ".",
    "..",
    "...",
    "/",
    "\\",
    "//",
    "../../etc/passwd",
    "..\\..\\boot.ini",
  ],
  ...[
    "/etc/passwd",
    "C:\\x.png",
    "\\\\host\\share\\x.png",
    "%2e%2e%2fx.png",
    "%00.png",
    "..%c0%af..",
    "a/../b.png",
    "a/b/c.png",
    "~/.ssh/id",
    ".htaccess",
  ],
  ...[
    "-rf",
    "--help",
    "a b.png",
    " a.png",
    "a.png ",
    "a.png.",
    "a..png",
    "a.PNG.exe",
    'a".png',
    'a"; filename="b.exe',
    "a'b.png",
    "a;b.png",
    "a,b.png",
  ],
  ...[
    "<script>alert(1)</script>.png",
    "a&b.png",
    "a<b>.png",
    "javascript:alert(1)",
    "data:text/html,x",
    "$(id).png",
    "`id`.png",
    "a|b.png",
    "*.png",
    "?.png",
  ],
  ...[
    "аpple.png",
    "\uff0e\uff0e\uff0fx.png",
    "\ud83d",
    "\udc00a.png",
    "Å.png",
    "A\u030a.png",
    "ﷺ.png",
    "__proto__",
    "constructor",
    "{{7*7}}.png",
    "=1+1.csv",
  ],
];

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const control = /[\0-\x1f\x7f-\x9f\u2028\u2029]/;
/** Bidi control characters. */
const turned = /[\u202a-\u202e\u2066-\u2069]/;

describe("a file name", () => {
  let library: Library;
  beforeAll(async () => {
    library = await openLibrary("sqlite", "disk");
    // Probing does not depend on the name, and is slow.
    library.ctx.probe = {
      ...library.ctx.probe,
      inspect: async () => ({
        mime: "text/plain",
        kind: "file",
        width: null,
        height: null,
        duration_ms: null,
      }),
    };
  });
  afterAll(() => library.close());

  /** A form from a client that escapes only the characters that would end the name. */
  const raw = (name: string) => {
    const form = Buffer.concat([
      Buffer.from(
        '--b\r\nContent-Disposition: form-data; name="project"\r\n\r\natlas\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="',
      ),
      ...[
        Buffer.from(name.replaceAll('"', "%22").replace(/[\r\n]+/g, "%0D%0A")),
        Buffer.from('"\r\n\r\nx\r\n--b--\r\n'),
      ],
    ]);
    return library.say("/assets", {
      method: "POST",
      headers: { "content-type": "multipart/form-data; boundary=b" },
      body: form,
    });
  };

  test(`of any of ${names.length} hostile forms is safe in a key, an address, a header and a title`, async () => {
    expect(names.length).toBeGreaterThanOrEqual(78);
    for (const name of names) {
      const answers = [await library.upload({ project: "atlas" }, new File(["x"], name)), await raw(name)];
      if (name.length > 16_384) {
        expect(answers.map(({ status }) => status)).toEqual([400, 400]);
        continue;
      }
      for (const { status, body } of answers) {
        expect([name, status]).toEqual([name, 201]);
        const row = must(await library.ctx.data.asset(null, body.id));
        expect([
          name,
          isKey(must(row.key)),
          /^atlas\/[0-9A-Z]{26}\/[\w.-]{1,255}$/.test(must(row.key)),
        ]).toEqual([name, true, true]);
        expect(Buffer.byteLength(body.title)).toBeLessThanOrEqual(200);
        expect([name, control.test(body.title), turned.test(body.title)]).toEqual([name, false, false]);
        const response = await library.fetch(body.url);
        const disposition = must(response.headers.get("content-disposition"));
        expect([name, response.status, disposition]).toEqual([
          name,
          200,
          expect.stringMatching(/^inline; filename="[ !#$&-[\]-~]+"; filename\*=UTF-8''[\w.~%-]+$/),
        ]);
        expect([...response.headers.keys()]).not.toContain("set-cookie");
      }
    }
  });

  test("of a reserved upload is as safe, or refused", async () => {
    for (const filename of names) {
      const { status, body } = await library.presign({ filename });
      const isRefused =
        control.test(filename) ||
        Buffer.byteLength(filename.normalize("NFC")) > 255 ||
        !filename.isWellFormed();
      expect([filename, status]).toEqual([filename, isRefused ? 400 : 201]);
      if (!isRefused) expect(body.key).toMatch(/^atlas\/[0-9A-Z]{26}\/[\w.-]{1,255}$/);
    }
  });
});
