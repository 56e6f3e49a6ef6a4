"""The judge: happened-before from the events alone. Shares no clock code with the algorithms it judges."""
