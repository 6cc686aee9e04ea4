# SPDX-License-Identifier: Apache-2.0
# Reads commands as HBase's shell does, line by line from standard input, and prints what they would give to HBase:
# "scan TABLE STARTROW STOPROW", in hexadecimal. Texts become bytes by JRuby's `to_java_bytes`, and the constants have the
# names that the shell gives them. The shell itself needs HBase's whole distribution and is not run.
require 'java'

STARTROW = 'STARTROW'.freeze
STOPROW = 'STOPROW'.freeze
LIMIT = 'LIMIT'.freeze
COLUMNS = 'COLUMNS'.freeze

def bytes(text)
  text.to_java_bytes.to_a.map { |b| format('%02x', b & 0xff) }.join
end

def scan(table, args = {})
  known = [STARTROW, STOPROW, LIMIT, COLUMNS]
  raise "unknown: #{args.keys - known}" unless (args.keys - known).empty?

  puts ['scan', bytes(table), bytes(args[STARTROW] || ''), bytes(args[STOPROW] || '')].join(' ')
end

$stdin.set_encoding('UTF-8')
$stdin.each_line { |line| eval(line) }
