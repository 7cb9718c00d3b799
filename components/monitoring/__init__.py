"""What Cloud Monitoring shows."""
