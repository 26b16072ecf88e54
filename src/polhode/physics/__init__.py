"""What moves: a body, the torque on it and where it starts; published problems and builders of others."""
