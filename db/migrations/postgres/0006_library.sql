-- an asset as it goes out, but for its signed addresses; null until it is written again
alter table assets add column wire text;
