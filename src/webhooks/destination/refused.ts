/** A URL that webhooks may not be sent to. The message is a sentence that says what to do. */
export class DestinationRefused extends Error {
  override name = "DestinationRefused";
}
