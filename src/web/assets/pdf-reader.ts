/** Mozilla's PDF.js, embedded in the executable. Browsers load it only on pages that show a PDF. */

// @ts-expect-error the same
import reader from "pdfjs-dist/build/pdf.min.mjs" with { type: "file" };
// @ts-expect-error the same
import worker from "pdfjs-dist/build/pdf.worker.min.mjs" with { type: "file" };
import { version } from "pdfjs-dist/package.json" with { type: "json" };
// @ts-expect-error a browser script, embedded as a file
import jbig2 from "pdfjs-dist/wasm/jbig2_nowasm_fallback.js" with { type: "file" };
// @ts-expect-error the same
import openjpeg from "pdfjs-dist/wasm/openjpeg_nowasm_fallback.js" with { type: "file" };

/** Paths of the embedded files, keyed by the names that PDF.js requests. */
export const readerFiles: Record<string, string> = {
  "pdf.min.mjs": reader,
  "pdf.worker.min.mjs": worker,
  "openjpeg_nowasm_fallback.js": openjpeg,
  "jbig2_nowasm_fallback.js": jbig2,
};

export const readerVersion: string = version;
