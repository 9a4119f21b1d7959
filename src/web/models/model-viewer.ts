/** Google's model-viewer with three.js in it, embedded in the executable. The page of a model loads it. */

// @ts-expect-error a browser script, embedded as a file
import viewer from "@google/model-viewer/dist/model-viewer.min.js" with { type: "file" };
import { version } from "@google/model-viewer/package.json" with { type: "json" };

/** Path of the embedded file, keyed by the name that it is served under. */
export const modelViewerFiles: Record<string, string> = { "model-viewer.min.js": viewer };

/**
 * The script that model-viewer waits for before it uses its decoder of meshopt, which it contains: without a
 * script to load, it does not decode.
 */
export const meshoptScript = "/* The decoder is in model-viewer.min.js. */";

export const modelViewerVersion: string = version;
