/**
 * Pages of A4 in a PDF written by hand: text in Helvetica, lines, boxes, paths. Measures in points from the
 * top left.
 */
import { deflateSync } from "node:zlib";

const [width, height] = [595, 842];

export class Page {
  readonly #marks: string[] = [];

  text(x: number, y: number, words: string, { size = 10, bold = false, grey = 0.1 } = {}): this {
    const value = words.replace(/[\\()]/g, "\\$&");
    return this.#add(`BT ${grey} g /${bold ? "B" : "R"} ${size} Tf ${x} ${height - y} Td (${value}) Tj ET`);
  }
  line(x: number, y: number, toX: number, toY: number, grey = 0.8): this {
    return this.#add(`${grey} G 0.7 w ${x} ${height - y} m ${toX} ${height - toY} l S`);
  }
  box(x: number, y: number, wide: number, high: number, colour: [number, number, number]): this {
    return this.#add(`${colour.join(" ")} rg ${x} ${height - y - high} ${wide} ${high} re f`);
  }
  path(points: [number, number][], colour: [number, number, number], thick = 1.6): this {
    const steps = points.map(
      ([x, y], index) => `${x.toFixed(1)} ${(height - y).toFixed(1)} ${index ? "l" : "m"}`,
    );
    return this.#add(`${colour.join(" ")} RG ${thick} w 1 j ${steps.join(" ")} S`);
  }
  get content(): Uint8Array {
    return Buffer.from(this.#marks.join("\n"), "latin1");
  }
  #add(mark: string): this {
    this.#marks.push(mark);
    return this;
  }
}

export function pdf(title: string, pages: Page[]): Uint8Array {
  const font = (name: string) =>
    Buffer.from(`<</Type/Font/Subtype/Type1/BaseFont/${name}/Encoding/WinAnsiEncoding>>`);
  const first = 6;
  const kids = pages.map((_, index) => `${first + index * 2} 0 R`).join(" ");
  const objects: Uint8Array[] = [
    Buffer.from("<</Type/Catalog/Pages 2 0 R>>"),
    Buffer.from(
      `<</Type/Pages/Count ${pages.length}/Kids[${kids}]/MediaBox[0 0 ${width} ${height}]/Resources<</Font<</R 3 0 R/B 4 0 R>>>>>>`,
    ),
    font("Helvetica"),
    font("Helvetica-Bold"),
    Buffer.from(`<</Title(${title})>>`),
  ];
  for (const [index, { content }] of pages.entries()) {
    const packed = deflateSync(content);
    objects.push(Buffer.from(`<</Type/Page/Parent 2 0 R/Contents ${first + index * 2 + 1} 0 R>>`));
    objects.push(
      Buffer.concat([
        Buffer.from(`<</Length ${packed.length}/Filter/FlateDecode>>\nstream\n`),
        packed,
        Buffer.from("\nendstream"),
      ]),
    );
  }
  const parts: Uint8Array[] = [Buffer.from("%PDF-1.4\n%âãÏÓ\n", "latin1")];
  let at = (parts[0] as Uint8Array).length;
  const places = objects.map((object, index) => {
    const whole = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from("\nendobj\n")]);
    const place = at;
    parts.push(whole);
    at += whole.length;
    return `${String(place).padStart(10, "0")} 00000 n \n`;
  });
  const trailer = `trailer\n<</Size ${objects.length + 1}/Root 1 0 R/Info 5 0 R>>\nstartxref\n${at}\n%%EOF\n`;
  return Buffer.concat([
    ...parts,
    Buffer.from(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join("")}${trailer}`),
  ]);
}
