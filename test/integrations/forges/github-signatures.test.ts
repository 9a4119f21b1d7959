/** A delivery counts only with the signature of its own body, under the name of its own event. */
import { describe, expect, test } from "bun:test";
import { added, deliver, feedOf, openLinked } from "../../support/forges/github-deliveries.ts";
import { moreEvents } from "../../support/forges/github-events.ts";
import { delivery, example, examples, names, secret, sign } from "../../support/forges/github-webhooks.ts";
import { dialects } from "../../support/harness.ts";

const signedText = JSON.stringify(example("issues", "opened"));
const hex = sign(signedText).slice("sha256=".length);
const signature = (text: string | null) => ({ "x-hub-signature-256": text });

const badSignatures: [title: string, headers: Record<string, string | null>, bytes?: string][] = [
  ["missing", signature(null)],
  ["empty", signature("")],
  ["the older header alone", { ...signature(null), "x-hub-signature": sign(signedText, secret, "sha1") }],
  ["sha1", signature(sign(signedText, secret, "sha1"))],
  ["sha512", signature(sign(signedText, secret, "sha512"))],
  ["sha1 called sha256", signature(sign(signedText, secret, "sha1").replace("sha1", "sha256"))],
  ["no prefix", signature(hex)],
  ["the prefix alone", signature("sha256=")],
  ["an upper-case prefix", signature(`SHA256=${hex}`)],
  ["upper-case digits", signature(`sha256=${hex.toUpperCase()}`)],
  ["a digit short", signature(`sha256=${hex.slice(1)}`)],
  ["a digit long", signature(`sha256=${hex}0`)],
  ["the last digit changed", signature(`sha256=${hex.slice(0, -1)}${hex.endsWith("0") ? "1" : "0"}`)],
  ["no digits", signature(`sha256=${"z".repeat(64)}`)],
  ["base64", signature(`sha256=${Buffer.from(hex, "hex").toString("base64")}`)],
  ["two of them", signature(`sha256=${hex}, sha256=${hex}`)],
  ["of another secret", signature(sign(signedText, `${secret}!`))],
  ["of an empty secret", signature(sign(signedText, ""))],
  ["of an empty body", signature(sign(""))],
  [
    "of a body with one letter changed",
    signature(sign(signedText)),
    signedText.replace("Spelling", "spelling"),
  ],
  [
    "of the same document, written again",
    signature(sign(signedText)),
    JSON.stringify(JSON.parse(signedText), null, 2),
  ],
  ["of a body without its line break", signature(sign(signedText)), `${signedText}\n`],
];

describe.each([...dialects])("GitHub webhooks on %s", (dialect) => {
  test("a body sent with another event's name adds nothing", async () => {
    await using app = await openLinked(dialect);
    const strange = [
      "ISSUES",
      "issues ",
      "issue",
      "constructor",
      "__proto__",
      "toString",
      "pull_request_target",
    ];
    for (const [name, body] of moreEvents) {
      for (const other of [...names, ...strange].filter((other) => other.trim() !== name)) {
        const { status, body: answer } = await deliver(app, other, body);
        expect([other, status === 400 || answer.accepted === 0]).toEqual([other, true]);
        if (moreEvents.some(([mappedName]) => mappedName === other))
          expect([name, other, status]).toEqual([name, other, 400]);
      }
    }
    for (const { name, body } of examples.filter(({ source }) => source === "api.github.com")) {
      for (const other of new Set(moreEvents.map(([mappedName]) => mappedName))) {
        if (other === name) continue;
        const { status, body: answer } = await deliver(app, other, body);
        expect([name, other, status === 400 || answer.accepted === 0]).toEqual([name, other, true]);
      }
    }
    expect(await feedOf(app)).toEqual([]);
  });

  test("an invalid signature is a 401, and nothing is written", async () => {
    await using app = await openLinked(dialect);
    for (const [title, headers, bytes = signedText] of badSignatures) {
      const response = await app.ask("/api/hooks/github", delivery("issues", bytes, headers));
      expect([title, response.status, response.headers.get("content-type")]).toEqual([
        title,
        401,
        "application/problem+json",
      ]);
      expect(response.headers.get("www-authenticate")).not.toBeNull();
    }
    expect(await feedOf(app)).toEqual([]);
    expect(await deliver(app, "issues", signedText)).toEqual(added);
  });
});
