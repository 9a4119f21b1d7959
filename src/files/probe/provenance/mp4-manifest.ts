/** Whether an MP4 holds a C2PA manifest: a top-level `uuid` box with the id of the specification (A.5.1). */
import type { BlockReader } from "../bytes.ts";
import { topLevelBoxes } from "../images/boxes.ts";

const manifestId = "d8fec3d61b0e483c92975828877ec481";

export const hasManifest = (file: BlockReader): boolean =>
  topLevelBoxes(file).some(
    ({ name, start }) => name === "uuid" && Buffer.from(file.read(start, 16)).toString("hex") === manifestId,
  );
