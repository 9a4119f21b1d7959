/** A form of a page, as a browser sends it. */
import { mediaOf, readBytes } from "../body.ts";
import { badRequest, wrongMedia } from "../problem.ts";

const formBytesMax = 64 * 2 ** 10;

/** Fields of an urlencoded form, each once; line breaks as they are everywhere else. */
export async function readForm(request: Request): Promise<Map<string, string>> {
  if (mediaOf(request) !== "application/x-www-form-urlencoded") throw wrongMedia("A form is sent as application/x-www-form-urlencoded.");
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(new TextDecoder().decode(await readBytes(request, formBytesMax)))) {
    if (form.has(name)) throw badRequest(`${name} may be given once only.`);
    form.set(name, value.replaceAll("\r\n", "\n").normalize("NFC"));
  }
  return form;
}
