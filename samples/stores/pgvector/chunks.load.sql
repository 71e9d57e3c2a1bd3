-- Puts the rows into the table, all of them or none; may be run again. In the folder of this file, once the table is made:
-- psql -d DATABASE -f chunks.load.sql
\set ON_ERROR_STOP on
begin;
create temporary table millrace_staging (like "chunks") on commit drop;

\copy millrace_staging (id, source, index, start, "end", tokens, context, record, metadata, text, embedding) from './chunks-00001.copy' with (format text, encoding 'UTF8')
insert into "chunks" as old (id, source, index, start, "end", tokens, context, record, metadata, text, embedding)
  select distinct on (id) id, source, index, start, "end", tokens, context, record, metadata, text, embedding from millrace_staging order by id, ctid desc
  on conflict (id) do update set source = excluded.source, index = excluded.index, start = excluded.start, "end" = excluded."end", tokens = excluded.tokens, context = excluded.context, record = excluded.record, metadata = excluded.metadata, text = excluded.text,
    embedding = coalesce(excluded.embedding, old.embedding);
truncate millrace_staging;

\copy millrace_staging (id, source, index, start, "end", tokens, context, record, metadata, text, embedding) from './chunks-00002.copy' with (format text, encoding 'UTF8')
insert into "chunks" as old (id, source, index, start, "end", tokens, context, record, metadata, text, embedding)
  select distinct on (id) id, source, index, start, "end", tokens, context, record, metadata, text, embedding from millrace_staging order by id, ctid desc
  on conflict (id) do update set source = excluded.source, index = excluded.index, start = excluded.start, "end" = excluded."end", tokens = excluded.tokens, context = excluded.context, record = excluded.record, metadata = excluded.metadata, text = excluded.text,
    embedding = coalesce(excluded.embedding, old.embedding);
truncate millrace_staging;

commit;

create index if not exists "chunks_embedding" on "chunks" using hnsw (embedding vector_cosine_ops);
