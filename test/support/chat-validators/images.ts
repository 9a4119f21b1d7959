/** What chat services take as an image that they load for a message. */
import { must } from "../conditions.ts";
import type { ChatName } from "./receiver.ts";

/** The formats that each service documents; Discord, Telegram and Mattermost take WebP as well. */
const documented: Record<ChatName, RegExp> = {
  slack: /^(png|jpeg|gif)$/,
  discord: /^(png|jpeg|gif|webp)$/,
  teams: /^(png|jpeg|gif)$/,
  mattermost: /^(png|jpeg|gif|webp)$/,
  telegram: /^(png|jpeg|gif|webp)$/,
  ntfy: /^(png|jpeg|gif|webp)$/,
};
/** Teams cuts off at 1 MB, the lowest limit of all. */
const bytesMax = 1_000_000;
const signatures: Record<string, string> = {
  png: "\x89PNG\r\n\x1a\n",
  jpeg: "\xff\xd8\xff",
  gif: "GIF8",
  webp: "RIFF",
};

/** Why a service would not show the image of this response; null if it would. */
export async function imageFault(name: ChatName, response: Response): Promise<string | null> {
  if (response.status !== 200) return `status ${response.status}`;
  const bytes = await response.bytes();
  const start = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  const format = Object.keys(signatures).find((one) => start.startsWith(must(signatures[one])));
  if (!format || !documented[name].test(format)) return `${format ?? "unknown"} image`;
  if (response.headers.get("content-type") !== `image/${format}`) return "content type of another format";
  if (bytes.length > bytesMax) return `${bytes.length} bytes`;
  const { width, height } = await new Bun.Image(bytes).metadata();
  return width > 0 && height > 0 ? null : "no pixels";
}
