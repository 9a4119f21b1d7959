/**
 * Publishing to a topic of ntfy, by https://docs.ntfy.sh/publish and the limits of its server: 4096 bytes of
 * text (a longer body becomes an attachment, which servers may not take), and about 4 KB for the whole message
 * to reach a phone (`DefaultMessageSizeLimit`).
 */
import { Refusal, type Taken, type Validator, webUrl } from "./validator.ts";

const refusal = (status: number, code: number) => (reason: string) =>
  new Refusal(Response.json({ code, http: status, error: reason }, { status }), reason);
const refuse = refusal(400, 40000);

const bytesMax = 4096;

/** RFC 2047, as Go's `mime.WordDecoder` reads it. */
const decodeWord = (value: string): string =>
  value.replace(/=\?utf-8\?b\?([^?]*)\?=/gi, (_all, word: string) => Buffer.from(word, "base64").toString());

const known = ["title", "priority", "tags", "click", "attach"];

export const ntfy: Validator = {
  check({ url, headers, body }) {
    if (!/^\/[-_A-Za-z0-9]{1,64}$/.test(url.pathname)) throw refusal(404, 40401)("topic");
    const values = Object.fromEntries(known.map((name) => [name, decodeWord(headers.get(name) ?? "")]));
    if ([...headers].some(([, value]) => !/^[\x20-\x7e]*$/.test(value)))
      throw refuse("a header is not ASCII");
    const { title = "", priority, tags = "", click, attach } = values;
    if (priority && !/^[1-5]$/.test(priority)) throw refusal(400, 40007)("priority");
    if (body.byteLength > bytesMax) throw refusal(400, 40014)("attachments not allowed");
    let message: string;
    try {
      message = new TextDecoder("utf-8", { fatal: true }).decode(body);
    } catch {
      throw refusal(400, 40011)("not UTF-8");
    }
    if (message.trim() === "" || title.trim() === "") throw refuse("empty");
    const whole = [message, title, tags, click, attach].map((one) => Buffer.byteLength(one ?? ""));
    if (whole.reduce((sum, bytes) => sum + bytes, 0) > bytesMax) throw refuse("too long for a phone");
    const urls = [click, attach].filter(Boolean).map((one) => webUrl(one, 2048, refusal(400, 40013)));
    const taken: Taken = { text: `${title}\n${message}`, urls, mentions: [] };
    return taken;
  },
  accepted: () => Response.json({ id: "abc", event: "message" }),
};
