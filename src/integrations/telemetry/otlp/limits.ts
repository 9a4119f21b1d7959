/** Limits of a request beside its size: what its messages make the server hold and do. */
import { type Problem, tooLarge } from "../../../core/problem.ts";

/** Records of a request; a Collector sends 8,192, SDKs 512. Its resources and scopes can be as many. */
export const recordsMax = 50_000;

/** Fields and elements of one message, which are read in one go. */
export const messageFieldsMax = 100_000;

export const tooManyFields = (): Problem =>
  tooLarge(`A message can have at most ${messageFieldsMax} fields. Send smaller batches.`);
