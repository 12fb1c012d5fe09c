-- Once, by an administrator of PostgreSQL 13 or newer: a database for the corpus, the role of the workers, and a group of readers.
--   CORPUS_PASSWORD_FILE=/etc/topical/postgres_topical psql --no-psqlrc -d postgres -f postgres-roles.sql
-- The workers' role owns the tables that it makes, and has no other right on the server. Whoever is to read the corpus:
--   GRANT corpus_readers TO somebody;
\set ON_ERROR_STOP on
\set password `cat "${CORPUS_PASSWORD_FILE:-/run/secrets/postgres_topical}"`

CREATE DATABASE corpus ENCODING 'UTF8' TEMPLATE template0;
\connect corpus

CREATE ROLE topical LOGIN PASSWORD :'password' NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION CONNECTION LIMIT 200;
CREATE ROLE corpus_readers NOLOGIN;

REVOKE ALL ON DATABASE corpus FROM PUBLIC;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT CONNECT ON DATABASE corpus TO topical, corpus_readers;
GRANT USAGE, CREATE ON SCHEMA public TO topical;
GRANT USAGE ON SCHEMA public TO corpus_readers;
ALTER DEFAULT PRIVILEGES FOR ROLE topical IN SCHEMA public GRANT SELECT ON TABLES TO corpus_readers;

-- Bounds: a statement that hangs, and a worker that vanished in a transaction, do not hold locks for ever.
ALTER ROLE topical IN DATABASE corpus SET statement_timeout = '10min';
ALTER ROLE topical IN DATABASE corpus SET idle_in_transaction_session_timeout = '5min';
