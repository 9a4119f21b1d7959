-- the languages besides English that indexed texts are written in: recall stems a query in these alone
create table text_languages (
  code text not null primary key
);
