/** The viewer of fonts: the reader's text at several sizes, and the characters that the font has. */
import type { FontContents } from "../../../files/probe/font/schema.ts";
import type { Asset } from "../../../library/assets/schema.ts";
import { pluralize } from "../../format.ts";
import { OpenFile } from "./media.tsx";

interface FontProps {
  src: string;
  label: string;
  font: FontContents;
  asset: Asset;
}

/** In CSS pixels. */
const sizes = [96, 48, 32, 24, 16, 12];
const pangram = "The quick brown fox jumps over the lazy dog 0123456789";

/** The names of OpenType, by the value of `wght`. */
const weightNames: Readonly<Record<string, string>> = {
  100: "Thin",
  200: "Extra light",
  300: "Light",
  400: "Regular",
  500: "Medium",
  600: "Semibold",
  700: "Bold",
  800: "Extra bold",
  900: "Black",
};

/** The weights of a variable font; null for a font that has one. */
function weightRange({ axes }: FontContents): [number, number] | null {
  const [, min, max] = axes.map((axis) => /^wght ([\d.]+)-([\d.]+)$/.exec(axis)).find(Boolean) ?? [];
  return min && max ? [Number(min), Number(max)] : null;
}

/** Works only with scripts, which load the font: until then, nothing is shown in another one. */
export function FontViewer({ src, label, font, asset }: FontProps) {
  const range = weightRange(font);
  const weights = range ? Object.keys(weightNames).filter((one) => range[0] <= +one && +one <= range[1]) : [];
  const shown = [...font.shown];
  const text = [..."Ag"].every((letter) => shown.includes(letter)) ? pangram : shown.slice(0, 24).join("");
  return (
    <div class="viewer font-view" data-font={src} data-name={asset.id} data-weights={range?.join(" ")}>
      <p class="soft" role="status" data-font-state>
        Showing a font needs scripts.
      </p>
      <div data-font-shown hidden>
        <label class="font-text">
          Text <input type="text" value={text} maxLength={200} spellcheck={false} autocomplete="off" />
        </label>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and must be reachable by keyboard */}
        <section class="specimens" tabIndex={0} aria-label={label}>
          {sizes.map((size) => (
            <p key={size} class={`specimen size-${size}`}>
              <span class="soft">{size} px</span> <bdi data-specimen>{text}</bdi>
            </p>
          ))}
          {weights.map((weight) => (
            <p key={weight} class={`specimen size-32 weight-${weight}`}>
              <span class="soft">
                {weightNames[weight]} {weight}
              </span>{" "}
              <bdi data-specimen>{text}</bdi>
            </p>
          ))}
        </section>
        {shown.length > 0 && (
          <ul class="glyphs" aria-label="Characters">
            {shown.map((character) => (
              <li key={character}>{character}</li>
            ))}
          </ul>
        )}
      </div>
      <p class="soft">{describe(font, shown.length)}</p>
      <OpenFile asset={asset} url={src} />
    </div>
  );
}

/** `Inter Bold: 2,548 glyphs, 1,200 characters, of which the first 600 are shown. Variable: wght 100-900.` */
function describe({ name, weight, glyphs, characters, axes }: FontContents, shown: number): string {
  const part = shown < characters ? `, of which ${shown.toLocaleString("en-US")} are shown` : "";
  const counts = `${pluralize(glyphs, "glyph")}, ${pluralize(characters, "character")}${part}.`;
  const own =
    weight === undefined || axes.some((axis) => axis.startsWith("wght ")) ? "" : ` Weight ${weight}.`;
  const variable = axes.length > 0 ? ` Variable: ${axes.join(", ")}.` : "";
  return `${name ? `${name}: ` : ""}${counts}${own}${variable}`;
}
